import { systemClock } from '../../../base/clock.ts'
import { silentLogger } from '../../../base/logger.ts'
import { quiet } from '../../../base/quiet.ts'
import { systemRandom } from '../../../base/random.ts'
import { createImageTable } from '../../../node/programs/image-match.ts'
import type { ImagePrograms } from '../../../node/programs/program.ts'
import { createSimulatedRuntime, type SimulatedRuntime } from '../../../node/runtime/simulated/simulated-runtime.ts'
import { sourceOf } from '../../../node/volumes/object-source.ts'
import { linkPair } from '../../../threads/link.double.ts'
import { createProgramsPart, type NodePlace } from '../programs-part.ts'
import type { ProgramsSession } from './programs-session.ts'
import { RemotePrograms } from './remote-programs.ts'
import { programServices } from './serve-programs.ts'

/** A simulated node without an API, whose containers' programs are of this thread, or behind a link. */
export interface ProgramsUnderTest extends AsyncDisposable {
  readonly runtime: SimulatedRuntime
}

const noApi = () => {
  throw new Error('there is no API')
}

function openNode(images: ImagePrograms) {
  const part = createProgramsPart({
    images,
    serviceCidr: '10.0.0.0/24',
    server: { address: '10.0.0.1', port: 443 },
    clock: systemClock,
    random: systemRandom(),
    log: silentLogger,
  })
  const objects = { get: () => undefined, list: () => [] }
  part.start({ objects, source: sourceOf(objects), clientOf: noApi, nodeClient: noApi, apiServer: () => undefined })
  const place: NodePlace = {
    name: 'n',
    ip: '198.18.0.1',
    podSubnets: ['10.1.2.'],
    alive: (ip): boolean => runtime.hasAddress(ip),
    wake: (ip): Promise<boolean> => runtime.wake(ip),
  }
  let runtime: SimulatedRuntime
  return {
    part,
    programs: part.node(place, new Map()),
    run: (programs: ReturnType<typeof part.node>) => {
      runtime = createSimulatedRuntime({ clock: systemClock, random: systemRandom(), podSubnets: place.podSubnets, programs })
      return runtime
    },
  }
}

export async function localPrograms(images: ImagePrograms): Promise<ProgramsUnderTest> {
  const { part, programs, run } = openNode(images)
  return { runtime: run(programs), [Symbol.asyncDispose]: () => part[Symbol.asyncDispose]() }
}

export async function remotePrograms(images: ImagePrograms): Promise<ProgramsUnderTest> {
  const { part, programs, run } = openNode(images)
  const link = linkPair()
  const ignored = () => {}
  link.far.offer(
    programServices({
      node: () => programs,
      opened: ignored,
      gone: ignored,
      dial: noApi,
      volumeGrown: ignored,
      entered: ignored,
      containers: new Map(),
    }),
  )
  let last = 0
  const session: ProgramsSession = {
    link: link.near,
    number: () => ++last,
    verdict: async () => ({ exitCode: 137, reason: 'Error', message: 'the runner has ended' }),
  }
  const node = 'n'
  await quiet(link.near.ask('programs-node', { name: node }), 'the other end may have no such node')
  const remote = new RemotePrograms({
    node,
    images: createImageTable(images),
    sessions: { current: session, session: async () => session },
  })
  return {
    runtime: run(remote),
    async [Symbol.asyncDispose]() {
      await part[Symbol.asyncDispose]()
      link[Symbol.dispose]()
    },
  }
}
