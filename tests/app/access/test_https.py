"""HTTPS with a certificate of one's own, and behind Debian's nginx with the configuration that the guide gives."""

import re
import shutil
import socket
import subprocess
from urllib.parse import urlsplit

import pytest

from tests.app.access.visitor import HTML, MODERATOR, READER, Visitor, event, heard, set_passphrases
from tests.app.job_sources import until
from tests.browser.server import ROOT, free_port, running


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate that nobody signed, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    files = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=archive.example.org", "-out", files[0], "-keyout", files[1]],
        check=True, capture_output=True,
    )  # fmt: skip
    return files


@pytest.fixture(scope="module")
def data(demo_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("access") / "data"
    shutil.copytree(demo_data, folder)
    set_passphrases(folder)
    return folder


def is_obeyed(visitor):
    """Whether a page opens, and its server hears and answers what its buttons say over the websocket."""
    page, events = visitor.listeners("/")
    with visitor.socket(page) as line:
        for one in events:
            line.send(event("event", one))
        return any("update" in said for said in heard(line, within_s=20, patience_s=20))


def cookies_of(answer):
    return [cookie.lower() for cookie in answer.headers.get_list("set-cookie")]


def test_over_https_pages_and_sockets_work_and_cookies_stay_there(data, certificate):
    with running(data, "--lan", "--certificate", certificate[0], "--key", certificate[1], scheme="https") as server:
        visitor = Visitor(server)
        entered = visitor.enter(READER)
        assert entered.status_code == 303
        assert cookies_of(entered) and all("; secure" in cookie for cookie in cookies_of(entered))
        assert f"wss://{urlsplit(server).netloc}" in visitor.http.get("/").headers["content-security-policy"]
        assert is_obeyed(visitor)


@pytest.fixture(scope="module")
def behind_nginx(data, certificate, tmp_path_factory):
    """The address of nginx, with the documented configuration but for its ports, paths and name."""
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    folder = tmp_path_factory.mktemp("nginx")
    port, plain, upstream = free_port(), free_port(), free_port()
    site = (ROOT / "docs" / "nginx.conf").read_text()
    for documented, ours in (
        (r"listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        (r"listen 80;", f"listen 127.0.0.1:{plain};"),
        (r"    listen \[::\].*\n", ""),
        (r"127\.0\.0\.1:8080", f"127.0.0.1:{upstream}"),
        (r"archive\.example\.org", "127.0.0.1"),
        (r"/etc/ssl/archiviste/certificate\.pem", str(certificate[0])),
        (r"/etc/ssl/archiviste/key\.pem", str(certificate[1])),
    ):
        site, count = re.subn(documented, ours, site)
        assert count, documented
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\nevents {{}}\n"
        f"http {{ access_log off;\n{temporary}{site}}}\n"
    )
    subprocess.run([program, "-t", "-c", configuration, "-e", folder / "error.log"], check=True, capture_output=True)
    behind = {"ARCHIVISTE_HOSTS": "127.0.0.1", "ARCHIVISTE_TRUSTED_PROXIES": "127.0.0.1"}
    with running(data, port=upstream, environ=behind) as server:
        proxy = subprocess.Popen([program, "-c", configuration, "-e", folder / "error.log"])

        def listens():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        try:
            until(listens, within_s=10)
            yield f"https://127.0.0.1:{port}", server
        finally:
            proxy.terminate()
            proxy.wait(10)


def test_behind_nginx_pages_and_sockets_work(behind_nginx):
    visitor = Visitor(behind_nginx[0])
    assert visitor.http.get("/", headers=HTML).headers["location"].startswith("/entrer")
    entered = visitor.enter(MODERATOR)
    assert entered.status_code == 303 and all("; secure" in cookie for cookie in cookies_of(entered))
    assert is_obeyed(visitor)
    assert visitor.open("/reglages/acces")[0] == 200


def test_behind_nginx_each_address_is_throttled_by_itself(behind_nginx):
    guesser = Visitor(behind_nginx[0], source="127.0.0.50")
    codes = [guesser.enter(f"mauvaise {n}", **{"X-Forwarded-For": f"10.1.1.{n}"}).status_code for n in range(12)]
    assert codes.count(429) >= 5
    assert Visitor(behind_nginx[0], source="127.0.0.51").enter(READER).status_code == 303


def test_behind_nginx_pages_of_other_sites_are_still_refused(behind_nginx):
    visitor = Visitor(behind_nginx[0], source="127.0.0.52")
    assert visitor.enter(READER, Origin="https://evil.example").status_code == 403
    assert visitor.http.get("/", headers={"Host": "evil.example"}).status_code == 403
    smuggled = {"Content-Length": "4", "Transfer-Encoding": "chunked"}
    assert visitor.http.post("/entrer", headers=smuggled, content=b"0\r\n\r\n").status_code == 400


def test_beside_nginx_nobody_comes_in_without_a_passphrase(behind_nginx):
    direct = Visitor(behind_nginx[1])
    assert direct.http.get("/reglages", headers=HTML).status_code == 303
