"""What is told of a size: measured where it was, extrapolated elsewhere, unknown where nobody measured."""

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capacity import costs, points
from app.capacity.bounds import SYSTEM_BYTES, UPDATE_S, advised, bounds
from app.capacity.forecast import SIZES, Wish, forecast
from app.capacity.points import LITE, LOCAL, MILVUS, Conditions, Point, Rate
from app.capacity_words import NOTES
from app.resources import resource

GROWING = ("archive_bytes", "vectors_db_bytes", "words_bytes", "graph_bytes", "snapshot_bytes", "reader_bytes",
           "vectors_peak_bytes", "import_cpu_s", "words_cpu_s", "vectors_cpu_s", "encode_s")  # fmt: skip
MET = Conditions("processor", 2, 8, "software", "2026-11-30", "command")
RATES = {"embedded": Rate("embedded", 10.0, 20.0, 3e8, MET)}


def point(posts, *, engine=LOCAL, dimensions=384, **figures):
    return Point(engine, posts, posts, dimensions, 500 * posts, MET, figures)


def told(posts, given, *, engine=LOCAL, **wish):
    return forecast(Wish(posts, **wish), engine, given, RATES)


SMALL = [point(n, reader_bytes=2e8 + 5000 * n, search_cpu_ms=20 + n / 10_000, crowd_ms=25 + n / 10_000, vectors_peak_bytes=2e8 + 9000 * n,
               update_cpu_s=1 + n / 30_000, graph_bytes=2000 * n, archive_bytes=1500 * n, words_bytes=300 * n,
               vectors_db_bytes=900 * n) for n in (10_000, 50_000, 400_000)]  # fmt: skip


def test_a_measured_size_tells_what_was_measured():
    figure = told(50_000, SMALL)["reader_bytes"]
    assert (figure.known, figure.value) == ("measured", 2e8 + 5000 * 50_000)


@pytest.mark.parametrize(("posts", "known"), [(100_000, "between"), (1_000_000, "extrapolated"), (500, "extrapolated")])
def test_other_sizes_say_whether_they_lie_between_measures(posts, known):
    figure = told(posts, SMALL)["graph_bytes"]
    assert figure.known == known and figure.sizes == (10_000, 50_000, 400_000)
    assert figure.value == pytest.approx(2000 * posts, rel=0.02)
    assert abs(figure.residual) < 0.01


def test_what_nobody_measured_is_not_told():
    found = told(1_000_000, SMALL, encoder="server")  # vectors of 1,024 dimensions
    assert found["reader_bytes"].value is None and found["machine_per_s"].value is None
    assert found["reader_bytes"].known == "unknown"
    assert found["archive_bytes"].value is not None  # which has no vectors
    assert found["encode_s"].value is None


def test_one_size_makes_no_curve():
    alone = [point(50_000, reader_bytes=3e8)]
    assert told(50_000, alone)["reader_bytes"].value == 3e8
    figure = told(100_000, alone)["reader_bytes"]
    assert (figure.known, figure.value, figure.sizes) == ("unknown", None, (50_000,))


def test_a_rate_that_was_given_gives_the_time_of_the_encoding():
    figure = told(1_000_000, SMALL, encoder="server", rate=500.0)["encode_s"]
    assert figure.known == "chosen" and figure.value == pytest.approx(1_000_000 / 500, rel=0.01)


def test_searches_a_second_are_cores_over_the_processor_time_of_one():
    found = told(50_000, SMALL, cores=8)
    assert found["machine_per_s"].value == pytest.approx(8 * 1000 / (25 + 20))


def test_one_process_serves_what_ten_people_got_and_never_more_than_the_machine():
    assert told(50_000, SMALL, cores=8)["process_per_s"].value == pytest.approx(1000 / (30 + 20))
    alone = [replace(one, figures={k: v for k, v in one.figures.items() if k != "crowd_ms"}) for one in SMALL]
    assert told(50_000, alone, cores=8)["process_per_s"].value == pytest.approx(1000 / (25 + 20))
    quick = [replace(one, figures={**one.figures, "crowd_ms": 5.0}) for one in SMALL]
    found = told(50_000, quick, cores=1)
    assert found["process_per_s"].value == found["machine_per_s"].value == pytest.approx(1000 / (25 + 20))


def test_a_snapshot_is_as_well_known_as_the_least_known_of_its_parts():
    given = [replace(one, figures={k: v for k, v in one.figures.items() if k != "words_bytes"}) for one in SMALL]
    assert told(50_000, SMALL)["snapshot_bytes"].value == pytest.approx(50_000 * (1500 + 900 + 300 + 2000))
    assert told(50_000, given)["snapshot_bytes"].value is None


def test_a_server_stands_for_milvus_once_one_was_measured():
    lite = [*SMALL, point(20_000, engine=LITE, search_cpu_ms=200.0)]
    assert costs.measured_engine(lite) == LITE
    assert costs.measured_engine([*lite, point(20_000, engine=MILVUS, search_cpu_ms=9.0)]) == MILVUS
    assert told(20_000, lite, engine=LITE)["search_cpu_ms"].value == 200.0
    assert "graph_bytes" not in {figure.name for figure in told(20_000, lite, engine=LITE).figures}


def test_milvus_lite_foretells_no_server_but_what_is_ours_is_told():
    lite = [*SMALL, *(point(n, engine=LITE, search_cpu_ms=n / 100, words_bytes=n / 2) for n in (3_000, 20_000))]
    found = told(1_000_000, lite, engine=LITE)
    assert found["search_cpu_ms"].known == "unknown" and found["machine_per_s"].value is None
    assert found["words_bytes"].value == pytest.approx(500_000) and found["snapshot_bytes"].known == "extrapolated"
    assert told(10_000, lite, engine=LITE)["search_cpu_ms"].value == pytest.approx(100.0)
    server = [*lite, *(point(n, engine=MILVUS, search_cpu_ms=5 + n / 1e6) for n in (3_000, 20_000))]
    assert told(1_000_000, server, engine=MILVUS)["search_cpu_ms"].value == pytest.approx(6.0, rel=0.05)


@given(st.integers(1, 50_000_000), st.integers(1, 50_000_000), st.sampled_from(["embedded", "bge-m3"]))
def test_what_ships_never_promises_less_for_more(one, other, encoder):
    known, rates = points.measured(), points.rates()
    low, high = (forecast(Wish(posts, encoder), LOCAL, known, rates) for posts in sorted((one, other)))
    for name in GROWING:
        # A measured value may stand beside its curve; curves themselves never fall.
        if {low[name].known, high[name].known} <= {"between", "extrapolated"}:
            assert low[name].value <= high[name].value * (1 + 1e-9), name


# --- the points that ship ---


@pytest.mark.parametrize("cost", costs.COSTS, ids=lambda cost: cost.name)
@pytest.mark.parametrize(("engine", "dimensions"), [(LOCAL, 384), (LOCAL, 1024), (LITE, 384)])
def test_measured_points_are_reproduced(cost, engine, dimensions):
    curve = costs.curve(cost, points.measured(), engine=engine, dimensions=dimensions)
    assert curve is None or curve.worst < 0.35, (curve.sizes, curve.values, [curve.at(n) for n in curve.sizes])


def test_each_point_says_how_it_was_measured():
    found = points.measured()
    assert {LOCAL, LITE} <= {one.engine for one in found}
    for one in found:
        assert one.posts > 0 and one.figures and all(value > 0 for value in one.figures.values())
        met = one.conditions
        assert met.processor and met.cores and met.memory_gb and met.software and met.command
        assert datetime.fromisoformat(met.date) and met.note in ("", *NOTES)
        assert "/" not in met.command, "no path of a machine"


def test_the_sizes_that_are_always_told_are_all_extrapolated():
    known, rates = points.measured(), points.rates()
    for posts in SIZES:
        found = forecast(Wish(posts), LOCAL, known, rates)
        for figure in found.figures:
            one_size = figure.known == "unknown" and len(figure.sizes) == 1
            assert figure.known == "extrapolated" or one_size or figure.name == "encoder_bytes", figure


def test_a_point_that_is_added_is_read_back(tmp_path):
    path = tmp_path / points.FILE
    path.write_text(resource("assets", points.FILE).read_text("utf-8"), "utf-8")
    added = point(123_456, engine=MILVUS, search_cpu_ms=3.0)
    points.write(path, [*points.read(path), added])
    assert added in points.read(path)
    assert len(points.read(path)) == len(points.measured()) + 1


# --- up to where one machine is enough ---


def test_a_limit_is_the_last_size_that_keeps_it():
    memory, update = bounds(SMALL, width=384, memory_bytes=16e9)
    assert memory.beyond and memory.posts == pytest.approx((16e9 - SYSTEM_BYTES - 4e8) / 14_000, rel=0.02)
    assert update.posts == pytest.approx((UPDATE_S - 1) * 30_000, rel=0.05)
    assert advised((memory, update)) == memory.posts


def test_a_limit_that_was_not_measured_is_not_told():
    assert [bound.posts for bound in bounds(SMALL, width=1024, memory_bytes=16e9)] == [None, None]
    assert advised(bounds(SMALL, width=1024, memory_bytes=16e9)) is None


def test_a_machine_without_memory_holds_nothing():
    memory, _update = bounds(SMALL, width=384, memory_bytes=1e9)
    assert memory.posts == 0


@given(st.floats(1e9, 1e12), st.floats(1e9, 1e12))
def test_more_memory_never_holds_less(one, other):
    low, high = (bounds(SMALL, width=384, memory_bytes=value)[0].posts for value in sorted((one, other)))
    assert low <= high
