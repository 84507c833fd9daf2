/** The engine that tests have to themselves, as `npm test` has set it up; undefined where none can be had, which was said then. */
export const dockerSocket: string | undefined = socketOf(process.env.COLONY_TEST_DOCKER_HOST);

/** A registry on the loopback (`127.0.0.1:port`); undefined as above. */
export const registryAddress: string | undefined = given(process.env.COLONY_TEST_REGISTRY);

function socketOf(host: string | undefined): string | undefined {
  if (!host) {
    throw new Error(
      'COLONY_TEST_DOCKER_HOST is not set: run this with npm test, or set it to what `node scripts/docker-engine.mjs start <folder>` prints',
    );
  }
  return given(host)?.replace(/^unix:\/\//, '');
}

function given(value: string | undefined): string | undefined {
  return value === 'none' ? undefined : value || undefined;
}
