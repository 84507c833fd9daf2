const SAY_AFTER_MS = 2_000;
const SAY_EVERY_MS = 10_000;

/** Says something after two seconds, and now and then, while the work goes on and until nobody wants it any more. */
export async function patiently(work: Promise<void>, unwanted: Promise<void>, say: () => void): Promise<void> {
  let timer = setTimeout(function again() {
    say();
    timer = setTimeout(again, SAY_EVERY_MS);
  }, SAY_AFTER_MS);
  try {
    await Promise.race([work, unwanted]);
  } finally {
    clearTimeout(timer);
  }
}
