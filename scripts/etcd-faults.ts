/**
 * `npm run etcd-faults -- [--only STORY,…] [--show 20]`: what clients get while etcd is in trouble, beside the recorded answers of
 * kube-apiserver (`../shared/upstream/etcd/faults.json`, whose runner starts both). It needs `ORACLE_BIN` with etcd. A story ends with the
 * count of its steps: the same, different on purpose, with the reason in `on-purpose.ts`, or worse.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { upstream } from '../test/upstream.ts'
import { Stage } from './etcd/fault-stage.ts'
import { STORIES } from './etcd/fault-stories.ts'
import type { FaultStory } from './etcd/fault-story.ts'
import { reasonOf } from './etcd/on-purpose.ts'
import { differenceOf, hasOutcome, isRequest, type RecordedStep, type RequestStep } from './etcd/recorded-step.ts'

const { values } = parseArgs({ options: { only: { type: 'string' }, show: { type: 'string', default: '20' } } })
const wanted = values.only?.split(',')

interface Recorded {
  readonly id: string
  readonly says: string
  readonly steps: readonly RecordedStep[]
}

interface Counts {
  same: number
  better: number
  worse: number
}

/** Steps between two notes are one group; a note changes the situation. */
async function play({ id, steps }: Recorded, story: FaultStory, folder: string): Promise<Counts> {
  const counts: Counts = { same: 0, better: 0, worse: 0 }
  await using stage = await Stage.open(folder, story.setup ?? {})
  await story.begin?.(stage)
  let group: RequestStep[] = []
  const count = (what: string, difference: string | undefined) => {
    const reason = difference && reasonOf(id, what, difference)
    counts[difference === undefined ? 'same' : reason === undefined ? 'worse' : 'better']++
    if (difference !== undefined && reason === undefined && counts.worse <= Number(values.show))
      console.log(`${id}: ${what}: ${difference}`)
  }
  const judge = async (recorded: RequestStep) => {
    const step = story.translate?.(recorded) ?? recorded
    count(recorded.do, differenceOf(step, await stage.ask(step)))
  }
  const finish = async () => {
    if (story.together === true) await Promise.all(group.map(judge))
    else for (const step of group) await judge(step)
    group = []
  }
  for (const step of steps) {
    if (isRequest(step)) group.push(step)
    else {
      await finish()
      await story.onNote?.(stage, step)
      if (story.judge !== undefined && hasOutcome(step)) count(step.note, await story.judge(stage, step))
    }
  }
  await finish()
  return counts
}

const { entries } = JSON.parse(readFileSync(path.join(upstream, 'etcd/faults.json'), 'utf8')) as { entries: readonly Recorded[] }
const all: Counts = { same: 0, better: 0, worse: 0 }
for (const entry of entries) {
  const story = STORIES[entry.id]
  if (story === undefined || (wanted !== undefined && !wanted.includes(entry.id))) continue
  const folder = mkdtempSync(path.join(os.tmpdir(), `bowsprit-fault-${entry.id}-`))
  try {
    const counts = await play(entry, story, folder)
    for (const kind of ['same', 'better', 'worse'] as const) all[kind] += counts[kind]
    console.log(`${entry.id}: ${counts.same} the same, ${counts.better} better, ${counts.worse} worse`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
console.log(`${all.same + all.better} passed (${all.better} better), ${all.worse} failed`)
process.exit(all.worse > 0 ? 1 : 0)
