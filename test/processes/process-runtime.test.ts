/** Simulated nodes run processes of this machine as they run everything: by the contract of runtimes. */
import { localPrograms, remotePrograms } from '../../src/cluster/programs/remote/programs.double.ts'
import { runtimeContract } from '../../src/node/runtime/runtime.contract.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

/** No word that every container has: the machine's own shell runs these. */
const tool = (script: string) => ['/tool', script]

for (const [name, open] of [
  ['processes of this machine', localPrograms],
  ['processes of this machine, from a process apart', remotePrograms],
] as const)
  runtimeContract(name, async () => {
    const programs = await open({ app: { command: ['sh', '-c'] } })
    return {
      runtime: programs.runtime,
      image: 'app',
      greets: tool('echo $GREETING'),
      fails: tool('exit 3'),
      lasts: tool("trap 'exit 0' TERM; while :; do sleep 0.05; done"),
      stays: tool("trap '' TERM; echo ready; while :; do sleep 0.05; done"),
      says: ['sh', '-c', 'echo hi'],
      refuses: ['sh', '-c', 'exit 7'],
      sleeps: ['sleep', '3600'],
      async until(what) {
        await waitFor(what, { everyMs: 5 })
      },
      settle: (promise) => promise,
      [Symbol.asyncDispose]: () => programs[Symbol.asyncDispose](),
    }
  })
