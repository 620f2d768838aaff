"""The identity: the hash of a request's canonical JSON, whatever writes it."""

import hashlib
import json
from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from judgeworthy.models.request import Request

SCHEMA = {"type": "object", "required": ["b", "a"], "properties": {"b": {"max": 1}, "a": {}}}


@given(
    system=st.text(),
    user=st.text(),
    temperature=st.integers(0, 200).map(lambda hundredths: hundredths / 100),
    seed=st.none() | st.integers(0, 2**40),
    schema=st.none() | st.just(SCHEMA),
)
def test_it_is_the_hash_of_what_the_standard_library_writes(
    system: str, user: str, temperature: float, seed: int | None, schema: dict[str, object] | None
) -> None:
    messages = ({"role": "system", "content": system}, {"role": "user", "content": user})
    request = Request("m", messages, temperature, 10, seed, schema)
    canonical = json.dumps(
        asdict(request), sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    assert request.id == hashlib.sha256(canonical.encode()).hexdigest()


def test_a_temperature_that_is_written_without_a_point_is_the_same() -> None:
    assert Request("m", (), 0, 10).id == Request("m", (), 0.0, 10).id
