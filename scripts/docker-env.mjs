// What tests of the Docker runtime need: an engine that is theirs alone and, beside it, an image registry.
import { newEngineFolder, ping, startEngine, stopEngine, sweepEngines } from './docker-engine.mjs';
import { startRegistry } from './registry.mjs';
import { buildTestImages } from './test-images.mjs';

/** Tells the tests that there is none, and that this was said. */
const NONE = 'none';

/**
 * Starts both and gives the variables that say where they are; `end` ends them. An engine that a person names is used instead of
 * an own one. `prepare` runs what may fail, and says so.
 */
export async function prepareDocker(prepare, say) {
  await prepare('what dead runs have left', () => sweepEngines(say));
  const folders = [newEngineFolder(), newEngineFolder()];
  const host = await prepare('a Docker engine', async () => ({ COLONY_TEST_DOCKER_HOST: await findHost(folders[0]) }));
  let registry;
  const address = await prepare('an image registry', async () => {
    registry = await startRegistry(folders[1]);
    return { COLONY_TEST_REGISTRY: registry.address };
  });
  return {
    env: { COLONY_TEST_DOCKER_HOST: NONE, COLONY_TEST_REGISTRY: NONE, ...host, ...address },
    end: async () => {
      await registry?.stop();
      for (const folder of folders) await stopEngine(folder);
      await sweepEngines(say); // those of tests that were interrupted
    },
  };
}

async function findHost(folder) {
  const given = process.env.COLONY_TEST_DOCKER_HOST;
  if (given) return useGiven(given);
  try {
    return (await startEngine(folder)).host;
  } catch (error) {
    throw new Error(`${error.message}; COLONY_TEST_DOCKER_HOST=unix:///… names one that tests may use`);
  }
}

async function useGiven(host) {
  const [, socket] = /^unix:\/\/(\/.+)$/.exec(host) ?? [];
  if (!socket) throw new Error('COLONY_TEST_DOCKER_HOST must be unix:///…');
  if (!(await ping(socket))) throw new Error(`no engine answers at ${host}`);
  await buildTestImages(socket);
  return host;
}
