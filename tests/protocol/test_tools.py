"""`python -m tpproto`: dump, roundtrip and vectors on the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tpproto import PB, TP03, TP04, Descriptions, frame, tp_pb2
from tpproto.__main__ import main

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def run(capsys):
    """Run one command; the result is exit status, lines of output, and the error output."""

    def call(*arguments: object) -> tuple[int, list[str], str]:
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out.splitlines(), captured.err

    return call


def conversation() -> list[tp_pb2.Frame]:
    order = tp_pb2.Order(
        id=7, slot=-1, otype=1, parameters=[tp_pb2.OrderParameter(object=tp_pb2.OrderObject(object_id=9))]
    )
    described = tp_pb2.OrderDesc(id=1, name="Move", parameters=[tp_pb2.ParameterDesc(name="Star System", type=2)])
    return [
        frame(1, "connect", tp_pb2.Connect(client="a test")),
        frame(2, "order_desc", described),
        frame(3, "order_insert", order),
    ]


def encoded(dialect) -> list[bytes]:
    known, pieces = Descriptions(), [dialect.greeting]
    for each in conversation():
        known.learn(each)
        pieces.append(dialect.encode(each, known))
    return pieces


@pytest.mark.parametrize("dialect", [TP03, TP04, PB])
@pytest.mark.parametrize("form", ["raw", "hex"])
def test_dump_shows_one_line_a_frame_with_names_learnt_on_the_way(run, tmp_path: Path, dialect, form: str) -> None:
    pieces = encoded(dialect)
    file = tmp_path / "capture"
    if form == "raw":
        file.write_bytes(b"".join(pieces))
    else:
        file.write_text("\n".join(piece.hex(" ") for piece in pieces) + "\n")
    status, lines, errors = run("dump", file)
    assert (status, errors) == (0, "")
    rows = [json.loads(line) for line in lines]
    assert [(row["dialect"], row["sequence"], row["frame"]) for row in rows] == [
        (dialect.name, 1, "connect"),
        (dialect.name, 2, "order_desc"),
        (dialect.name, 3, "order_insert"),
    ]
    insert = rows[-1]["fields"]
    assert insert["otype"] == {"id": 1, "name": "Move"}
    expected = {"object_id": 9} if dialect is TP03 else {"object_id": 9, "valid_types": []}
    assert insert["parameters"] == [{"name": "Star System", "object": expected}]
    assert insert["slot"] == -1


def test_dump_of_protocol_buffers_without_their_greeting_is_told_the_dialect(run, tmp_path: Path) -> None:
    file = tmp_path / "capture"
    file.write_bytes(b"".join(encoded(PB)[1:]))
    status, lines, _ = run("dump", "--dialect", "pb", file)
    assert (status, len(lines)) == (0, 3)


def test_dump_of_a_recording_names_who_spoke(run) -> None:
    status, lines, _ = run("dump", GOLDEN / "tae-tp04-orders.jsonl.gz")
    assert (status, len(lines)) == (0, 499)
    rows = [json.loads(line) for line in lines]
    assert {row["from"] for row in rows} == {"client", "server"}
    wrong = [row for row in rows if "error" in row]
    assert [row["error"]["code"] for row in wrong].count("no_such_thing") == 2
    assert len(wrong) == 4
    objects = [row["fields"] for row in rows if row.get("frame") == "object"]
    assert objects[0]["otype"]["name"] == "Universe"
    assert objects[0]["parameters"][-1] == {"name": "Year", "integer": {"value": 0}}


def test_dump_goes_on_after_a_bad_frame_and_tells_of_half_ones(run, tmp_path: Path) -> None:
    good = TP03.encode(frame(1, "ping", tp_pb2.Ping()))
    lines = [good, b"GET / HTTP/1.1", b"TP03" + bytes(7) + b"\x05" + bytes(4), good, good[:9]]
    file = tmp_path / "capture"
    file.write_text("\n".join(line.hex() for line in lines))
    status, output, _ = run("dump", file)
    rows = [json.loads(line) for line in output]
    assert status == 0
    assert ["error" in row for row in rows] == [False, True, True, False, True]
    assert "middle of a frame: 9 bytes" in rows[-1]["error"]["text"]
    assert rows[-1]["error"]["where"] == "line 5"


def test_dump_reads_standard_input() -> None:
    command = [sys.executable, "-m", "tpproto", "dump"]
    result = subprocess.run(command, input=b"".join(encoded(TP04)), capture_output=True, timeout=240, check=True)
    assert len(result.stdout.splitlines()) == 3
    assert result.stderr == b""


def test_roundtrip_explains_every_difference(run) -> None:
    status, lines, _ = run("roundtrip", GOLDEN / "tae-tp03-orders.jsonl.gz")
    assert status == 0
    assert lines[0].split() == ["dialect", "frame", "same", "different", "undecodable", "listed"]
    assert any(line.startswith("listed: 23 x object-parameter-of-tp04") for line in lines)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"dir": "s2c", "hex": TP03.encode(frame(1, "ping", tp_pb2.Ping()))[:12].hex()}, "12 bytes of an unfinished"),
        ({"dir": "s2c", "hex": "545030330000000100000028000000020000"}, "The body ends after 2 bytes"),
        ({"dir": "s2c", "hex": "474554202f"}, "not the Thousand Parsec protocol"),
        (
            # A text with a NUL behind it is read, but written without.
            {"dir": "s2c", "hex": "5450303300000001000000180000000600000002" + "6100"},
            "encodes as 54503033000000010000001800000005",
        ),
    ],
)
def test_roundtrip_fails_for_what_is_not_listed(run, tmp_path: Path, row: dict, sentence: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(json.dumps(row) + "\n")
    status, lines, _ = run("roundtrip", file)
    assert status == 1
    assert sentence in lines[-1]
    assert lines[-1].startswith("unexplained: ")
    assert "line 1" in lines[-1]


def test_a_server_frame_is_never_wrong_on_purpose(run, tmp_path: Path) -> None:
    """The recorder's mark excuses clients only."""
    row = {"dir": "s2c", "hex": "54503033000000010000001b00000001ff", "decoded": {"_trailing": "ff"}}
    file = tmp_path / "bad.jsonl"
    file.write_text(json.dumps(row))
    assert run("roundtrip", file)[0] == 1
    file.write_text(json.dumps({**row, "dir": "c2s"}))
    assert run("roundtrip", file)[0] == 0


@pytest.mark.parametrize(
    ("content", "arguments", "sentence"),
    [
        (None, ["dump"], "No such file"),
        (None, ["roundtrip"], "No such file"),
        ("{nonsense", ["dump"], "line 1: this is not JSON"),
        ('{"hex": "5"}', ["roundtrip"], "line 1: hex has to be pairs"),
        ('{"hex": 5}', ["dump"], "line 1: each line has to be"),
        ('{"hex": ""}\n[]', ["dump"], "line 2: each line has to be"),
        ('{"hex": "", "dialect": "TP02"}', ["dump"], "'TP02' is not one of"),
        ("5450\nxyz", ["dump"], "line 2: hex has to be pairs"),
        ("54503033", ["roundtrip"], "line 1: each line has to be"),
    ],
)
def test_a_wrong_input_is_one_sentence(run, tmp_path: Path, content, arguments, sentence: str) -> None:
    file = tmp_path / "input"
    if content is not None:
        file.write_text(content)
    status, _, errors = run(*arguments, file)
    assert status == 2
    assert sentence in errors
    assert len(errors.splitlines()) == 1
    assert "Traceback" not in errors


def test_directories_and_broken_archives_are_refused(run, tmp_path: Path) -> None:
    (tmp_path / "x.gz").write_bytes(b"\x1f\x8b\x08\0broken")
    assert run("dump", tmp_path)[0] == 2
    assert run("dump", tmp_path / "x.gz")[0] == 2
    assert run("vectors", tmp_path / "nowhere")[0] == 2


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["dump", "--dialect", "tp02"], ["roundtrip"]])
def test_a_wrong_command_line_says_what_is_allowed(arguments: list[str], capsys) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: python -m tpproto" in capsys.readouterr().err


def test_an_empty_recording_is_no_success(run, tmp_path: Path) -> None:
    file = tmp_path / "empty.jsonl"
    file.write_text("")
    status, _, errors = run("roundtrip", file)
    assert (status, errors) == (1, "there is not one frame in the input\n")


def test_vectors_are_written_and_checked(run, tmp_path: Path) -> None:
    status, lines, _ = run("vectors", "--check", tmp_path)
    assert (status, len(lines)) == (1, 4)
    assert list(tmp_path.iterdir()) == []
    assert run("vectors", tmp_path)[0] == 0
    assert run("vectors", "--check", tmp_path) == (0, [], "")
    assert run("roundtrip", *sorted(tmp_path.iterdir()))[0] == 0
    assert run("dump", tmp_path / "tp04-padded.jsonl")[0] == 0
