import { cpSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ABSENCE } from './absence-stories.ts'
import { COMPACTION } from './compaction-stories.ts'
import type { Stage } from './fault-stage.ts'
import type { FaultStory } from './fault-story.ts'
import { startLateProxy } from './late-proxy.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

/** Stops etcd's process for a while; the requests come meanwhile. */
const paused = (forMs: number): FaultStory => ({
  together: true,
  async begin({ etcd }) {
    etcd.signal('SIGSTOP')
    setTimeout(() => etcd.signal('SIGCONT'), forMs)
  },
})

const killed: FaultStory = {
  together: true,
  async onNote(stage, { note }) {
    if (note.startsWith('etcd killed')) await stage.etcd.stop()
    else if (note.startsWith('ten seconds')) await sleep(10_000)
    else if (note.startsWith('etcd is back')) {
      await stage.startEtcds()
      await created(stage, 'after1')
    }
  },
}

const full: FaultStory = {
  together: true,
  setup: { etcdFlags: ['--quota-backend-bytes=16777216'] },
  async onNote(stage, { note }) {
    if (note.startsWith('creates of')) await fill(stage)
    else if (note.startsWith('after compaction')) await makeRoom(stage)
  },
}

async function fill({ server }: Stage): Promise<void> {
  for (let i = 0; ; i++) {
    const { code = 0 } = await server.request('POST', MAPS, { metadata: { name: `fill${i}` }, data: { x: 'y'.repeat(900_000) } })
    if (code >= 300) return
  }
}

async function makeRoom({ etcd }: Stage): Promise<void> {
  const { revision } = await etcd.range('none')
  await etcd.compact(revision)
  await etcd.call('/v3/maintenance/defragment', {})
  for (const alarm of await etcd.alarms()) await etcd.call('/v3/maintenance/alarm', { action: 'DEACTIVATE', ...alarm })
}

/** Creates until it succeeds. */
async function created({ server }: Stage, name: string): Promise<void> {
  for (;;) {
    const { code } = await server.request('POST', MAPS, { metadata: { name }, data: {} }).catch(() => ({ code: 0 }))
    if (code === 201 || code === 409) return
    await sleep(200)
  }
}

const restored: FaultStory = {
  together: true,
  async onNote(stage, { note }) {
    if (note === 'revisions') await goBack(stage)
    else if (note.startsWith('twenty seconds')) await sleep(20_000)
    else if (note.startsWith('after a restart')) {
      await stage.server.stop()
      await stage.startServer()
    }
  },
}

async function goBack(stage: Stage): Promise<void> {
  const [folder, copy] = [stage.etcdFolder(0), `${stage.etcdFolder(0)}-copy`]
  await stage.etcd.stop()
  cpSync(folder, copy, { recursive: true })
  await stage.startEtcds()
  for (let i = 0; i < 40; i++) await created(stage, `later${i}`)
  await stage.etcd.stop()
  rmSync(folder, { recursive: true })
  cpSync(copy, folder, { recursive: true })
  await stage.startEtcds()
}

const garbage: FaultStory = {
  async onNote(stage, { note, value = '' }) {
    const put = /^put by hand: (\S+)$/.exec(note)?.[1]
    if (put !== undefined) {
      await stage.etcd.put(put, value)
      byHand = put
    } else if (note.startsWith('the key ')) await stage.etcd.del(byHand)
    else if (note.startsWith('garbage is there')) {
      await stage.server.stop()
      await stage.etcd.put('/registry/configmaps/default/garbage', Buffer.from('not an object').toString('base64'))
      await stage.startServer(0)
      await sleep(5000)
    }
    await sleep(300)
  },
}
let byHand = ''

const written: FaultStory = {
  async onNote(stage, { note }) {
    const key = '/registry/configmaps/default/a'
    kept ||= (await stage.etcd.range(key)).kvs[0]?.value ?? ''
    if (note === 'changed by hand' || note === 'put again by hand') await stage.etcd.put(key, kept)
    else if (note === 'deleted by hand') await stage.etcd.del(key)
    else if (note.startsWith('keys where no object')) {
      for (const stray of ['configmaps/stray', 'configmaps/nowhere/a', 'configmaps/default/a/deeper'])
        await stage.etcd.put(`/registry/${stray}`, kept)
    }
    await sleep(300)
  },
}
let kept = ''

const tooLarge: FaultStory = {
  async begin({ server }) {
    const small = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'small' }, data: {}, revision: 1 }
    await server.request('POST', '/apis/apps/v1/namespaces/default/controllerrevisions', small)
  },
  async onNote(stage) {
    await stage.etcd.stop()
    await stage.startEtcds(['--max-request-bytes=8388608'])
    await created(stage, 'ready')
  },
}

const noQuorum: FaultStory = {
  together: true,
  setup: { members: 3 },
  async onNote(stage, { note }) {
    // The leader stays, as in the recording: what is sent to it is not lost with it.
    const stopFollower = async () => {
      const running = stage.etcds.filter((etcd) => etcd.isDown() === undefined)
      const [follower] = await stage.followers(running)
      await follower?.stop()
    }
    if (note.startsWith('one of three') || note.startsWith('two of three')) await stopFollower()
    else if (note.startsWith('five seconds')) await sleep(5000)
    else if (note.startsWith('a member is back')) {
      await stage.startEtcds()
      await created(stage, 'back')
    }
  },
}

const stopped: FaultStory = {
  together: true,
  setup: { serverFlags: '--shutdown-delay-duration=3s' },
  async onNote(stage, { note }) {
    if (!note.startsWith('0.8 s after SIGTERM')) return
    stage.server.signal('SIGTERM')
    await sleep(800)
  },
}

/** Each packet from etcd takes a second. */
const slow: FaultStory = {
  together: true,
  setup: { empty: true },
  async begin(stage) {
    await stage.startEtcds()
    const late = await startLateProxy(new URL(stage.etcd.url))
    stage.etcdUrl = late.url
    await stage.startServer()
    await created(stage, 'a')
    late.delay(1000)
  },
}

export const STORIES: Readonly<Record<string, FaultStory>> = {
  killed,
  'paused-1s': paused(1000),
  'paused-20s': paused(20_000),
  'no-space': full,
  restored,
  garbage,
  'by-hand': written,
  'too-large': tooLarge,
  'no-quorum': noQuorum,
  'server-stopped': stopped,
  'slow-1s': slow,
  ...ABSENCE,
  ...COMPACTION,
}
