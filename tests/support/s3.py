"""An S3 server in this process, with a bucket, and the environment in which programs find it.

python -m tests.support.s3 COMMAND   runs a command with it
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import boto3
from moto.server import ThreadedMotoServer

BUCKET = "jurypool"
KEYS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
}


@contextmanager
def bucket() -> Iterator[dict[str, str]]:
    """Yield the environment of an empty bucket, on a server that lives as long."""
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    client = boto3.client(
        "s3",
        endpoint_url=endpoint,
        aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
        region_name=KEYS["AWS_DEFAULT_REGION"],
    )
    client.create_bucket(Bucket=BUCKET)
    try:
        yield {**KEYS, "JURYPOOL_S3_BUCKET": BUCKET, "JURYPOOL_S3_ENDPOINT": endpoint}
    finally:
        server.stop()


if __name__ == "__main__":
    with bucket() as environment:
        sys.exit(subprocess.run(sys.argv[1:], env={**os.environ, **environment}).returncode)
