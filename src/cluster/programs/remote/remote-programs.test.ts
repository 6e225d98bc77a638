import type { Program } from '../../../node/programs/program.ts'
import { runtimeContract } from '../../../node/runtime/runtime.contract.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { containerProgramsContract } from './container-programs.contract.ts'
import { localPrograms, remotePrograms } from './programs.double.ts'

containerProgramsContract('programs of this thread', localPrograms)
containerProgramsContract('programs behind a link', remotePrograms)

/** The runtime's contract, whose commands are programs of one image. */
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

runtimeContract('simulated runtime with programs behind a link', async () => {
  const { runtime, [Symbol.asyncDispose]: dispose } = await remotePrograms({ app: { run: () => 9, commands } })
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
    until: async (what) => void (await waitFor(what, { everyMs: 5 })),
    settle: (promise) => promise,
    [Symbol.asyncDispose]: dispose,
  }
})
