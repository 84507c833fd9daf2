import type { ActivityInterceptorsFactory } from '@temporalio/worker';

/** Where a worker ends itself as if by `kill -9`: `<activity>:before|after:<n>`, the n-th time it comes there. For fault tests only. */
export function failpoint(place: string): ActivityInterceptorsFactory {
  const [activity, side, nth = '1'] = place.split(':');
  let times = 0;
  const strike = (): void => {
    times += 1;
    if (times === Number(nth)) process.kill(process.pid, 'SIGKILL');
  };
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const isHere = info.activityType === activity;
        if (isHere && side === 'before') strike();
        const result = await next(input);
        if (isHere && side === 'after') strike();
        return result;
      },
    },
  });
}
