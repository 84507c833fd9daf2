"""Writes down every call, then does what the spec asks for. The same as recorder.ts."""

import asyncio
import json
import os
import time
from datetime import timedelta

from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.worker import Worker


def waiting(kind: str, message: str) -> ApplicationError:
    return ApplicationError(message, type=kind, category=ApplicationErrorCategory.BENIGN, next_retry_delay=timedelta(seconds=0.2))


@activity.defn(name="record")
async def record(request: dict) -> dict:
    with open(os.environ["CALLS"], "a") as calls:
        calls.write(json.dumps({**request, "note": "called", "at": time.time() * 1000}) + "\n")
    spec = request["spec"]
    mode = spec["mode"]
    if request["operation"] == "finalize":
        return {}
    cured = "file" in spec and os.path.exists(spec["file"])
    if mode == "invalid":
        raise ApplicationError("spec.text: cannot be so", type="InvalidSpec")
    if mode == "forbidden":
        raise ApplicationError("spec.text: may not be so", type="Forbidden")
    if mode == "notReady" and not cured:
        raise waiting("NotReady", "waits for the file")
    if mode == "conflict" and not cured:
        raise waiting("Conflict", "somebody holds the file")
    if mode == "final" and not cured:
        raise ApplicationError("the pump is broken", type="Exploded", non_retryable=True)
    if mode == "error" and not cured:
        raise RuntimeError("the disk is on fire")
    if mode == "useless" and not cured:
        return {"status": "fine", "conditions": [{"type": "Recorded", "status": "yes"}]}
    if mode == "slow":
        await asyncio.sleep(20)
    return {
        "status": {"text": spec.get("text"), "seen": request["metadata"]["generation"]},
        "conditions": [{"type": "Recorded", "status": "True", "reason": "Written"}],
        "outputs": {"answer": 42},
    }


async def main() -> None:
    client = await Client.connect(os.environ["TEMPORAL_ADDRESS"], namespace=os.environ["TEMPORAL_NAMESPACE"])
    async with Worker(client, task_queue=os.environ.get("QUEUE", "recorder"), activities=[record]):
        print("ready: record", flush=True)
        await asyncio.Event().wait()


asyncio.run(main())
