import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../../../base/clock.ts'
import { systemRandom } from '../../../base/random.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { createProcessRuntime } from '../process-runtime.double.ts'
import { runtimeContract } from '../runtime.contract.ts'
import { openCriRuntime } from './cri-runtime.ts'
import { serveCri } from './cri-server.double.ts'

const shell = (script: string) => ['sh', '-c', script]

runtimeContract('CRI runtime', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cri-'))
  const processes = createProcessRuntime({ clock: systemClock, random: systemRandom() })
  const socketPath = path.join(folder, 'cri.sock')
  const server = await serveCri({ socketPath, runtime: processes, folder, clock: systemClock })
  const runtime = await openCriRuntime({ socketPath, clock: systemClock }, new AbortController().signal)
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
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await processes[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
})
