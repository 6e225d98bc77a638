import { systemClock } from '../../base/clock.ts'
import { systemRandom } from '../../base/random.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { createProcessRuntime } from './process-runtime.double.ts'
import { runtimeContract } from './runtime.contract.ts'

const shell = (script: string) => ['sh', '-c', script]

runtimeContract('process runtime', async () => {
  const runtime = createProcessRuntime({ clock: systemClock, random: systemRandom() })
  return {
    runtime,
    image: 'any',
    greets: shell('echo $GREETING'),
    fails: shell('exit 3'),
    lasts: ['sleep', '3600'],
    stays: shell("trap '' TERM; echo ready; while :; do sleep 1; done"),
    says: shell('echo hi'),
    refuses: shell('exit 7'),
    sleeps: ['sleep', '3600'],
    async until(what) {
      await waitFor(what, { everyMs: 5 })
    },
    settle: (promise) => promise,
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  }
})
