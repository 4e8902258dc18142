"""A real nginx with the snippet that is deployed, before a real web server."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.postgres import free_port
from tests.support.server import ROOT, Server

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
HOST = "pool.example.org"
AROUND = """
{user} daemon off; pid {folder}/pid; error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    {snippet}
}}
"""


class Proxy:
    """The files of an nginx in a folder of its own. plain, secure: its ports."""

    def __init__(self, folder: Path, upstream: str) -> None:
        self.folder, self.plain, self.secure = folder, free_port(), free_port()
        snippet = (ROOT / "config/deploy/nginx.conf").read_text()
        for name, value in {
            "${UPSTREAM}": upstream,
            "listen 80;": f"listen 127.0.0.1:{self.plain};",
            "listen 443 ssl;": f"listen 127.0.0.1:{self.secure} ssl;",
            "certificates/": f"{folder}/",
        }.items():
            assert name in snippet
            snippet = snippet.replace(name, value)
        self.settings = folder / "nginx.conf"
        user = "" if os.geteuid() else "user root;"  # else it would give up its right to write in the folder
        self.settings.write_text(AROUND.format(user=user, folder=folder, snippet=snippet))
        certificate = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={HOST}"]
        files = ["-keyout", f"{folder}/privkey.pem", "-out", f"{folder}/fullchain.pem"]
        subprocess.run(["openssl", "req", *certificate, *files], check=True, capture_output=True)

    @property
    def command(self) -> list[str]:
        return [str(NGINX), "-c", str(self.settings), "-p", str(self.folder)]


@contextmanager
def behind_nginx(folder: Path) -> Iterator[tuple[Proxy, Server]]:
    """Yield a proxy and the web server behind it."""
    server = Server(folder)
    server.environment |= {
        "JURYPOOL_HTTPS": "1",
        "JURYPOOL_HOSTS": HOST,
        "JURYPOOL_LOG": "info",
        "JURYPOOL_LOG_FORMAT": "json",
    }
    (folder / "nginx").mkdir()
    proxy = Proxy(folder / "nginx", f"127.0.0.1:{server.port}")
    nginx = subprocess.Popen(proxy.command, stderr=subprocess.DEVNULL)
    try:
        server.start()
        yield proxy, server
    finally:
        nginx.terminate()
        nginx.wait()
        server.kill()
