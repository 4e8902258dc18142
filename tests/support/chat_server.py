"""A server with the chat completions format on this machine, which answers from a script."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from assess.endpoints import Endpoint, PrivatePlaces

PRIVATE = PrivatePlaces(networks=("127.0.0.0/8",))
KEY = "sk-sentinel-5f2c9a71d4"


class Reply(NamedTuple):
    """A scripted response. content: an object for JSON. cut: the connection is closed after so many bytes.

    slow: seconds before each byte of the body.
    """

    status: int = 200
    content: Any = None
    headers: dict[str, str] = {}
    cut: int | None = None
    slow: float = 0.0


def completion(text: str = '{"grade": 1}', **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text} | more.pop("message", {})
    usage = {"prompt_tokens": 50, "completion_tokens": 5}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "1", "model": "judge-1", "choices": [choice], "usage": usage, **more}


def error(message: str = "no", **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "", **more}}


class ChatServer(ThreadingHTTPServer):
    """`script`: replies for the next requests; after them `always`. bodies: of all requests, as they came."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[Reply] = []
        self.always: Callable[[dict[str, Any]], Reply] = lambda body: Reply(content=completion())
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()

    def reply_to(self, body: dict[str, Any], headers: dict[str, str]) -> Reply:
        with self.lock:
            self.bodies.append(body)
            self.headers.append(headers)
            return self.script.pop(0) if self.script else self.always(body)

    def endpoint(self, key: str = KEY) -> Endpoint:
        return Endpoint("local", "http", "127.0.0.1", self.server_port, "/v1", key)

    def most_asked(self) -> int:
        """Return how often the question that came most often came."""
        questions = [json.dumps(body["messages"]) + str(body.get("seed")) for body in self.bodies]
        return max(map(questions.count, questions), default=0)


class Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.server.reply_to(body, {**self.headers, "path": self.path})
        content = reply.content if isinstance(reply.content, bytes) else json.dumps(reply.content).encode()
        self.send_response(reply.status)
        self.send_header("Content-Length", str(len(content)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            for byte in content if reply.slow else ():
                time.sleep(reply.slow)
                self.wfile.write(bytes([byte]))
            self.wfile.write(b"" if reply.slow else content[: reply.cut])
        except OSError:
            pass

    def log_message(self, *args: object) -> None:
        """Write nothing."""


@contextmanager
def running_chat_server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
