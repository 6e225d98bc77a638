import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import { ClusterNetwork } from '../network/cluster-network.ts'
import { passingTime } from '../runtime/passing-time.double.ts'
import { runtimeContract } from '../runtime/runtime.contract.ts'
import { createSimulatedRuntime, type SimulatedRuntime } from '../runtime/simulated/simulated-runtime.ts'
import { FileBudget } from '../volumes/file-budget.ts'
import { sourceOf } from '../volumes/object-source.ts'
import { PersistentTrees } from '../volumes/persistent-trees.ts'
import { VOLUME_BYTES } from '../volumes/pod-volumes.ts'
import { createImageTable } from './image-match.ts'
import { loadNode } from './load-node.ts'
import { nodePrograms } from './node-programs.ts'
import type { Program } from './program.ts'

/** The contract's commands, as programs of one image. */
const commands: Readonly<Record<string, Program>> = {
  greet: (c) => c.log('hello'),
  fail: () => 3,
  last: (c) => c.clock.sleep(1e9).then(() => undefined),
  async stay(c) {
    c.onSignal('SIGTERM', () => {})
    c.log('ready')
    await c.clock.sleep(1e9)
  },
  say: (c) => c.log('hi'),
  refuse: () => 7,
  sleep: (c) => c.clock.sleep(3_600_000).then(() => undefined),
}

runtimeContract('simulated runtime with programs', async () => {
  const clock = new VirtualClock()
  const random = seededRandom(1)
  const objects = { get: () => undefined, list: () => [] }
  const images = createImageTable({ app: { run: () => 9, commands } })
  const node = {
    name: 'n',
    ip: '198.18.0.1',
    owns: (ip: string) => ip.startsWith('10.1.2.'),
    alive: (ip: string): boolean => runtime.hasAddress(ip),
  }
  const network = new ClusterNetwork({ objects, clock, random })
  const never = () => Promise.reject(new Error('nobody is asked for tokens or objects'))
  const clientOf = () => {
    throw new Error('there is no API')
  }
  const deps = {
    images,
    network,
    objects,
    clock,
    random,
    source: sourceOf(objects),
    log: silentLogger,
    nameserver: '10.0.0.10',
    clientOf,
    issueToken: never,
  }
  const budget = new FileBudget()
  const persistent = new PersistentTrees(sourceOf(objects), VOLUME_BYTES, budget)
  network.add(node)
  const programs = nodePrograms({ images, load: async () => loadNode({ ...deps, node, folders: new Map(), persistent, budget }) })
  const runtime: SimulatedRuntime = createSimulatedRuntime({ clock, random, podSubnets: ['10.1.2.'], programs })
  return {
    runtime,
    image: 'app',
    greets: ['greet'],
    fails: ['fail'],
    lasts: ['last'],
    stays: ['stay'],
    says: ['say'],
    refuses: ['refuse'],
    sleeps: ['sleep'],
    ...passingTime(clock),
    async [Symbol.asyncDispose]() {},
  }
})
