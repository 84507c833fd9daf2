"""Makes gadgets: a gadget is a JSON file in the folder GADGETS_DIR.

An executor in Python needs nothing of colony but the contract: an activity that takes one JSON object and returns one.
"""

import asyncio
import json
import os
import signal
from pathlib import Path

from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.worker import Worker

FOLDER = Path(os.environ.get("GADGETS_DIR", "/tmp/gadgets"))


@activity.defn(name="reconcile_gadget")
async def reconcile_gadget(request: dict) -> dict:
    """May be called twice for the same wish, so it looks at what is there before it acts."""
    metadata, spec = request["metadata"], request["spec"]
    path = FOLDER / f"{metadata['namespace']}.{metadata['name']}.json"

    if request["operation"] == "finalize":
        path.unlink(missing_ok=True)
        return {}

    if spec["watts"] > 100 and not spec.get("fan"):
        raise ApplicationError("spec.fan: above 100 watts a gadget needs a fan", type="InvalidSpec", non_retryable=True)
    if power := spec.get("powerFile"):
        if not Path(power).exists():
            # BENIGN: nothing is wrong, so nothing is logged as an error.
            raise ApplicationError(f"waits for {power}", type="NotReady", category=ApplicationErrorCategory.BENIGN)

    gadget = {"uid": metadata["uid"], "watts": spec["watts"], "madeAs": request["idempotencyKey"]}
    changed = write_if_different(path, gadget)
    return {
        "status": {"watts": spec["watts"], "lastAction": request["action"], "changed": [c["path"] for c in request["changes"]]},
        "conditions": [{"type": "Written", "status": "True", "reason": "Changed" if changed else "AsItWas"}],
        "outputs": {"path": str(path)},
    }


def write_if_different(path: Path, gadget: dict) -> bool:
    text = json.dumps(gadget, indent=2) + "\n"
    if path.exists() and path.read_text() == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    draft.write_text(text)
    draft.rename(path)  # whole or not at all
    return True


async def main() -> None:
    address = os.environ.get("TEMPORAL_ADDRESS", "localhost:7233")
    client = await Client.connect(address, namespace=os.environ.get("TEMPORAL_NAMESPACE", "default"))
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with Worker(client, task_queue="gadget-maker", activities=[reconcile_gadget]):
        print(f"ready: reconcile_gadget on task queue gadget-maker (Temporal {address})", flush=True)
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(main())
