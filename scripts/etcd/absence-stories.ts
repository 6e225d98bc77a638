import { setTimeout as sleep } from 'node:timers/promises'
import { PORT } from './fault-stage.ts'
import type { FaultStory } from './fault-story.ts'

/** etcd is not there when the server starts. */
const absent: FaultStory = {
  setup: { empty: true },
  async begin(stage) {
    stage.etcdUrl = `http://127.0.0.1:${PORT}`
    await stage.startServer(0)
  },
  async judge({ server }, { exit }) {
    for (let i = 0; i < 600 && server.isDown() === undefined; i++) await sleep(100)
    const code = server.isDown()?.code
    return code === exit ? undefined : `want exit ${exit}, got ${code ?? 'none'}`
  },
}

/** etcd comes 8 s after the server. */
const late: FaultStory = {
  ...absent,
  async judge(stage) {
    const early = await stage.server.request('GET', '/readyz').catch(() => ({ code: 0 }))
    if (early.code === 200) return 'want no answer without etcd, got ready'
    await sleep(8000)
    await stage.startEtcds()
    for (let i = 0; i < 700; i++) {
      const { code } = await stage.server.request('GET', '/readyz').catch(() => ({ code: 0 }))
      if (code === 200) return undefined
      await sleep(100)
    }
    return 'want ready, got no answer for 70 s'
  },
}

export const ABSENCE = { 'absent-at-start': absent, 'absent-then-there': late }
