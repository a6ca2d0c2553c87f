"""The files of packaging/compose: what they say to Archiviste is what Archiviste knows, and nothing but nginx is open.

No container engine is needed: variables go through `settings.load`, commands through the command line's grammar, and the
real nginx, Redis and Python's YAML read their own files.
"""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from app import arguments, settings
from tests.app.job_sources import until
from tests.browser.server import free_port

pytestmark = pytest.mark.several

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "packaging" / "compose"
OURS = ("primary", "encoder", "replica-1", "replica-2", "replica-3")
REPLICAS = OURS[2:]
_VARIABLE = re.compile(r"\$\{(\w+)(?::\?[^}]*|:-([^}]*))?\}")


def example():
    """What .env.example gives, by name."""
    lines = (FOLDER / ".env.example").read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def compose(env=None):
    """The file as Compose reads it with these variables: YAML first, then the variables of its texts."""
    env = example() if env is None else env

    def value(found):
        name, default = found[1], found[2]
        assert name in example(), f"{name} is not in .env.example"
        return env.get(name) or default or ""

    def filled(part):
        if isinstance(part, dict):
            return {key: filled(each) for key, each in part.items()}
        if isinstance(part, list):
            return [filled(each) for each in part]
        return _VARIABLE.sub(value, part) if isinstance(part, str) else part

    return filled(yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8")))


SERVICES = compose()["services"]


def environment(service):
    return {name: str(value) for name, value in service.get("environment", {}).items()}


# --- what Archiviste reads ---


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("env", [None, {"SITE_NAME": "forum.example.org"}], ids=["example", "bare"])
def test_every_variable_is_a_setting_and_its_value_is_accepted(name, env):
    given = environment(compose(env)["services"][name])
    ours = {key: value for key, value in given.items() if key.startswith(settings.PREFIX)}
    choices = settings.load(ours)
    assert len(ours) > 5 and set(given) == set(ours)
    assert str(choices.engine.data) == "/data"
    assert choices.engine.index_url == "http://milvus:19530"
    assert choices.app.shared_secret == Path("/run/secrets/shared")


@pytest.mark.parametrize("name", OURS)
def test_every_command_is_one(name):
    given = arguments.parse(SERVICES[name]["command"])
    assert given.command == ("worker" if name == "encoder" else "serve")
    if name in REPLICAS:
        assert given.replica_of == "/snapshots"


def test_optional_servers_are_those_that_the_settings_name():
    env = example() | {
        "ARCHIVISTE_RERANKER_URL": "http://reranker-model:80",
        "ARCHIVISTE_LLM_URL": "http://answer-model:8080/v1",
        "ARCHIVISTE_SYNC_URL": "https://forum.example.org",
    }
    document = (FOLDER / "compose.yaml").read_text("utf-8")
    for name in ("RERANKER", "LLM"):
        assert env[f"ARCHIVISTE_{name}_URL"] in document  # as its comment says
    choices = settings.load(environment(compose(env)["services"]["primary"]))
    assert choices.engine.llm_url and choices.engine.reranker_url and choices.app.sync_url
    hosts = re.findall(r"http://([\w-]+):", document)
    assert {"milvus", "encoder-model", "reranker-model", "answer-model"} <= set(hosts)
    assert set(hosts) - {"localhost", "127"} <= set(SERVICES)


def test_a_primary_writes_what_its_replicas_read():
    primary, replicas = SERVICES["primary"], [SERVICES[name] for name in REPLICAS]
    assert environment(primary)["ARCHIVISTE_SNAPSHOTS"] == "/snapshots"
    assert "snapshots:/snapshots" in primary["volumes"]
    own = []
    for replica in replicas:
        assert "snapshots:/snapshots:ro" in replica["volumes"]
        assert not {"ARCHIVISTE_SNAPSHOTS", "ARCHIVISTE_QUEUE_URL"} & set(replica["environment"])
        own += [volume for volume in replica["volumes"] if volume.endswith(":/data")]
    assert len(set(own)) == len(replicas) and "data:/data" not in own
    assert SERVICES["encoder"]["volumes"] == ["data:/data"]


def test_every_server_has_a_name_that_its_door_knows():
    for name in OURS:
        if name != "encoder":
            hosts = settings.listed(environment(SERVICES[name])["ARCHIVISTE_HOSTS"])
            assert {name, "127.0.0.1", example()["SITE_NAME"]} <= set(hosts)


# --- who reaches whom ---


def test_only_nginx_is_published():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["nginx"]
    assert all("network_mode" not in service and "privileged" not in service for service in SERVICES.values())


def test_only_what_must_has_a_way_out():
    networks = compose()["networks"]
    ways_out = {name for name, network in networks.items() if not (network or {}).get("internal")}
    leaving = {name: ways_out & set(service["networks"]) for name, service in SERVICES.items()}
    assert {name: ways for name, ways in leaving.items() if ways} == {"nginx": {"edge"}, "primary": {"out"}}
    assert all(set(service["networks"]) <= set(networks) for service in SERVICES.values())


def test_the_networks_named_in_the_settings_are_those_of_the_file():
    networks = compose()["networks"]
    subnets = {name: networks[name]["ipam"]["config"][0]["subnet"] for name in ("front", "back")}
    for name in ("primary", *REPLICAS):
        given = environment(SERVICES[name])
        assert given["ARCHIVISTE_TRUSTED_PROXIES"] == subnets["front"]
        assert given["ARCHIVISTE_METRICS_FROM"] == subnets["back"]
        assert {"front", "back"} <= set(SERVICES[name]["networks"])


def test_our_containers_may_do_little_and_hold_the_secret_as_a_file():
    document = compose()
    assert document["secrets"] == {"shared": {"file": "./secrets/shared"}}
    for name in OURS:
        service = SERVICES[name]
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["secrets"] == ["shared"]
        assert not any("secret" in value.lower() for value in environment(service).values() if "/run/" not in value)


def test_every_service_is_watched_pinned_and_bounded():
    for name, service in SERVICES.items():
        if name not in ("encoder", "nginx"):  # a worker answers nobody
            assert service["mem_limit"], name
        assert name == "encoder" or service["healthcheck"]["test"], name
        image, tag = service["image"].split(":")
        assert re.search(r"\d", tag) and tag != "latest", image
        assert "." not in image.split("/")[0], "no registry's address"


def test_every_volume_and_secret_that_is_named_is_declared():
    document = compose()
    for service in SERVICES.values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert source.startswith("./") or source in document["volumes"], source
        assert set(service.get("secrets", [])) <= set(document["secrets"])
        assert set(service.get("depends_on", {})) <= set(SERVICES)


def test_what_is_mounted_from_the_folder_is_there_or_said_to_be_made():
    made = {"./tls", "./models", "./sources", "./secrets/shared"}
    mounted = {v.split(":")[0] for s in SERVICES.values() for v in s.get("volumes", []) if v.startswith("./")}
    readme = (FOLDER / "README.md").read_text("utf-8")
    for source in mounted - made:
        assert (FOLDER / source).exists(), source
    assert all(source.removeprefix("./") in readme for source in made)


def test_health_is_asked_where_it_is_answered():
    from app.access.roles import ALIVE, needed

    for name in ("primary", *REPLICAS):
        test = SERVICES[name]["healthcheck"]["test"]
        assert f"127.0.0.1:{environment(SERVICES[name])['ARCHIVISTE_PORT']}{ALIVE}'" in test[-1]
        compile(test[-1], "healthcheck", "exec")
    assert needed(ALIVE) == 0


# --- the files of the others ---


def test_prometheus_asks_the_servers_that_answer_it():
    document = yaml.safe_load((FOLDER / "prometheus" / "prometheus.yml").read_text("utf-8"))
    targets = {job["job_name"]: job["static_configs"][0]["targets"] for job in document["scrape_configs"]}
    assert targets["archiviste"] == [f"{name}:8080" for name in ("primary", *REPLICAS)]
    assert {target.split(":")[0] for all_ in targets.values() for target in all_} <= set(SERVICES)
    assert all(job["metrics_path"] == "/metrics" for job in document["scrape_configs"])


def test_milvus_keeps_its_etcd_to_itself():
    etcd = yaml.safe_load((FOLDER / "milvus" / "embedEtcd.yaml").read_text("utf-8"))
    assert {etcd[f"{kind}-client-urls"] for kind in ("listen", "advertise")} == {"http://127.0.0.1:2379"}
    assert yaml.safe_load((FOLDER / "milvus" / "user.yaml").read_text("utf-8")) == {}


def test_redis_starts_with_its_file_and_keeps_tasks(tmp_path):
    program = shutil.which("redis-server")
    assert program, "make test installs it: apt-get install redis-server"
    port = free_port()
    path = SERVICES["redis"]["command"][-1]
    assert f"./redis/redis.conf:{path}:ro" in SERVICES["redis"]["volumes"]
    server = subprocess.Popen(
        [program, FOLDER / "redis" / "redis.conf", "--port", str(port), "--bind", "127.0.0.1", "--dir", tmp_path],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        import redis

        with redis.Redis(port=port) as client:
            until(lambda: _answers(client), within_s=10)
            client.rpush("tasks", "7")
            kept = client.config_get("*")
        assert kept["appendonly"] == "yes" and kept["maxmemory-policy"] == "noeviction"
        assert any((tmp_path / "appendonlydir").iterdir())
    finally:
        server.terminate()
        server.communicate(timeout=10)


def _answers(client):
    import redis

    try:
        return client.ping()
    except redis.ConnectionError:
        return False


def test_nginx_reads_its_template(tmp_path):
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    (template,) = (FOLDER / "nginx").glob("*.template")
    # As the image does it: only variables that the container has are replaced.
    given = environment(SERVICES["nginx"]) | example()
    site = re.sub(r"\$\{(\w+)\}", lambda found: given.get(found[1], found[0]), template.read_text("utf-8"))
    assert not re.search(r"\$\{[A-Z_]+\}", site), "a variable that the container lacks"
    for name in ("primary", *REPLICAS):
        assert re.search(rf"\b{name}:8080\b", site), name
        site = site.replace(f"{name}:8080", "127.0.0.1:8080") if name == "primary" else site
    for number, name in enumerate(REPLICAS, 1):
        site = site.replace(f"{name}:8080", f"127.0.0.{number + 1}:8080")  # names that exist here
    tls = _certificate(tmp_path)
    site = site.replace("/etc/ssl/archiviste", str(tls))
    site = re.sub(r"listen (\[::\]:)?(80|443)", lambda found: f"listen {free_port()}", site)
    configuration = tmp_path / "nginx.conf"
    configuration.write_text(
        f"pid {tmp_path}/pid; error_log stderr;\nevents {{}}\nhttp {{ access_log off; server_names_hash_bucket_size 128;\n{site}}}\n"
    )
    told = subprocess.run([program, "-t", "-c", configuration, "-e", "stderr"], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr


def _certificate(folder):
    files = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=archive.example.org", "-out", files[0], "-keyout", files[1]],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder


# --- the image ---


def instructions():
    """(instruction, arguments) of the Dockerfile."""
    text = (FOLDER / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    return [line.split(None, 1) for line in text.splitlines() if line.strip() and not line.startswith("#")]


def test_what_the_image_copies_is_there_and_reaches_the_builder():
    build = SERVICES["primary"]["build"]
    assert (FOLDER / build["context"]).resolve() == ROOT and (ROOT / build["dockerfile"]).is_file()
    ignored = (FOLDER / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    copied = [shlex.split(said)[:-1] for name, said in instructions() if name == "COPY" and "--from" not in said]
    for source in (source for sources in copied for source in sources):
        assert (ROOT / source).exists(), source
        assert f"!{source}" in ignored, source


def test_the_image_has_what_the_wheel_is_made_of_and_the_extras_exist():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    text = (FOLDER / "Dockerfile").read_text("utf-8")
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    copied = " ".join(said for name, said in instructions() if name == "COPY")
    for part in (*wheel["packages"], *wheel["force-include"], "pyproject.toml", "README.md", "LICENSE"):
        assert part in copied.split(), part
    (extras,) = re.findall(r"'\.\[([\w,]+)\]'", text)
    assert set(extras.split(",")) <= set(project["project"]["optional-dependencies"])
    # What the settings of compose.yaml need.
    assert {"milvus", "redis", "replicas", "metrics"} == set(extras.split(","))
    version = project["project"]["version"]
    assert {SERVICES[name]["image"] for name in OURS} == {f"archiviste:{version}"}


def test_the_image_is_not_run_by_root():
    users = [said for name, said in instructions() if name == "USER"]
    assert users == ["archiviste"]
    last = [name for name, _said in instructions()]
    assert last.index("USER") < last.index("ENTRYPOINT") and "RUN" not in last[last.index("USER") :]
