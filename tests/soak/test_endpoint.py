"""A worker that sends requests to an endpoint and is killed: no question is sent twice."""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.soak.test_background import Workers
from tests.support.chat_server import Reply, completion, running_chat_server

BEGIN = """
from django.contrib.auth.models import Permission
from assess.machines import tasks
from assess.machines.services.endpoints import AskingDetails, start_asking
from tests.assess.machines.test_sending import make_labelling
from tests.support.factory import Factory
labelling = make_labelling(Factory(), 12)
carol = Factory().make_user("carol")
start_asking(labelling, carol, AskingDetails("local", 100, 3), tasks.ask_endpoint)
"""
STATES = "SELECT state FROM assess_machinerequest"


@pytest.mark.slow
def test_a_worker_that_is_killed_leaves_requests_that_no_other_worker_sends(tmp_path: Path) -> None:
    workers = Workers(tmp_path, "")
    release = threading.Event()
    with running_chat_server() as server:

        def slow_after_five(body: dict[str, Any]) -> Reply:
            if len(server.bodies) > 5:
                release.wait(30)
            return Reply(200, completion())

        server.always = slow_after_five
        workers.place.environment |= {
            "JURYPOOL_ENDPOINTS": f"local=http://127.0.0.1:{server.server_port}/v1",
            "JURYPOOL_PRIVATE_ENDPOINTS": "127.0.0.1",
        }
        workers.place.shell(BEGIN)
        worker = workers.start()
        workers.wait(
            lambda row: row[0] == 5, f"SELECT count(*) FROM ({STATES} WHERE state = 'answered') AS a"
        )
        workers.wait(lambda row: row[0] == 3, f"SELECT count(*) FROM ({STATES} WHERE state = 'sent') AS s")
        worker.kill()
        assert worker.wait() == -signal.SIGKILL
        release.set()
        workers.start()
        state, done, total, attempts, *_ = workers.wait(lambda row: row[0] not in ("waiting", "running"))
        assert (state, total, attempts) == ("done", 12, 2)
        states = [state for (state,) in workers.rows(STATES)]
        assert (states.count("answered"), states.count("sent")) == (9, 3)
        assert server.most_asked() == 1
        assert len({json.dumps(body) for body in server.bodies}) == len(server.bodies) <= 12
        for each in workers.started:
            each.kill()
            each.wait()
