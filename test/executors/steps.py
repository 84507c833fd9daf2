"""Writes down every call of a step, then does what it is asked for. The same as steps.ts."""

import asyncio
import json
import os

from temporalio import activity
from temporalio.client import Client
from temporalio.worker import Worker


@activity.defn(name="combine")
async def combine(call: dict) -> dict:
    with open(os.environ["CALLS"], "a") as calls:
        calls.write(json.dumps(call) + "\n")
    kwargs = call["kwargs"]
    if call["attempt"] <= kwargs.get("failures", 0):
        raise RuntimeError("not this time")
    return {"text": f"{kwargs['word']} {'+'.join(map(str, call['args']))}", "region": call["params"]["region"]}


async def main() -> None:
    client = await Client.connect(os.environ["TEMPORAL_ADDRESS"], namespace=os.environ["TEMPORAL_NAMESPACE"])
    async with Worker(client, task_queue=os.environ.get("QUEUE", "steps"), activities=[combine]):
        print("ready: combine", flush=True)
        await asyncio.Event().wait()


asyncio.run(main())
