from __future__ import annotations

import pytest
from pydantic import ValidationError

from api.cli.serve import is_loopback, open_or_read_only
from api.settings import Settings, settings_from_environment
from economics.errors import PermillionError

KIB = 1024


def test_defaults_are_the_contract_s() -> None:
    settings = settings_from_environment({})
    assert (settings.host, settings.port, settings.allow_open_writes) == ("127.0.0.1", 8000, False)
    assert (settings.max_text_bytes, settings.max_request_text_bytes, settings.max_body_bytes) == (
        256 * KIB,
        KIB * KIB,
        8 * KIB * KIB,
    )
    assert settings.max_rows == 10_000
    assert settings.database_url.startswith("sqlite:///var/")
    assert settings_from_environment({"PATH": "/bin", "HOME": "/", "permillion_port": "1"}) == settings


def test_variables_are_read() -> None:
    given = {
        "PERMILLION_PORT": "9000",
        "PERMILLION_DATABASE_URL": "postgresql://a/b",
        "PERMILLION_ALLOW_OPEN_WRITES": "1",
        "PERMILLION_MAX_ROWS": "5",
    }
    settings = settings_from_environment(given)
    assert (settings.port, settings.database_url, settings.allow_open_writes, settings.max_rows) == (
        9000,
        "postgresql://a/b",
        True,
        5,
    )


@pytest.mark.parametrize(("variable", "value"), [
    ("PORT", "no"), ("PORT", "65536"), ("PORT", "-1"), ("PORT", "80.5"), ("PORT", ""), ("MAX_ROWS", "0"), ("MAX_BODY_BYTES", "8MiB"),
    ("ALLOW_OPEN_WRITES", "perhaps"), ("COUNTING_WORKERS", "0"), ("COUNTING_WORKERS", "1000"), ("COUNTING_TIMEOUT_S", "0"),
])  # fmt: skip
def test_wrong_values_name_the_variable_and_not_the_value(variable: str, value: str) -> None:
    with pytest.raises(PermillionError) as caught:
        settings_from_environment({f"PERMILLION_{variable}": value})
    assert caught.value.slug == "invalid-settings"
    assert f"PERMILLION_{variable}" in caught.value.detail
    assert "perhaps" not in caught.value.detail


def test_several_wrong_values_are_all_named() -> None:
    with pytest.raises(PermillionError, match=r"PERMILLION_PORT.*PERMILLION_MAX_ROWS"):
        settings_from_environment({"PERMILLION_MAX_ROWS": "x", "PERMILLION_PORT": "x"})


def test_an_unknown_variable_is_an_error_that_names_the_known() -> None:
    for name in ("PERMILLION_MAX_ROW", "PERMILLION_DATABASE", "PERMILLION_WRITES_ALLOWED", "PERMILLION_"):
        with pytest.raises(PermillionError) as caught:
            settings_from_environment({name: "1"})
        assert name in caught.value.detail
        assert "PERMILLION_MAX_ROWS" in caught.value.detail


def test_settings_are_frozen() -> None:
    with pytest.raises(ValidationError):
        Settings().port = 1  # type: ignore[misc]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)
    assert open_or_read_only(Settings(host=host)).writes_allowed


@pytest.mark.parametrize(
    "host",
    [
        "0.0.0.0",
        "::",
        "10.0.0.1",
        "192.168.1.5",
        "example.org",
        "localhost.example.org",
        "127.0.0.1.example.org",
        "",
        "2130706433",
    ],
)
def test_open_addresses_refuse_writes_unless_allowed(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert not is_loopback(host)
    assert not open_or_read_only(Settings(host=host)).writes_allowed
    assert "PERMILLION_ALLOW_OPEN_WRITES=1" in capsys.readouterr().err
    assert open_or_read_only(Settings(host=host, allow_open_writes=True)).writes_allowed
    assert capsys.readouterr().err == ""
