import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { upstream } from '../../../test/upstream.ts'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { seededRandom } from '../../base/random.ts'
import type { Json, JsonObject } from '../../machinery/object.ts'
import { createExtenders } from '../extender/extender.ts'
import { POINTS } from '../framework/extension-points.ts'
import { type CompleteConfiguration, type CompleteProfile, writtenConfiguration } from './complete.ts'
import { profilesOf, readConfiguration } from './configuration.ts'

/** The configuration files that the real kube-scheduler was given: what it said of each, what it made of it, and which plugins ran. */
const FILE = path.join(upstream, 'scheduler', 'config-errors.json')

interface Case {
  readonly id: string
  readonly config?: JsonObject
  readonly text?: string
  readonly accepted: boolean
  readonly error?: string
  readonly effective?: JsonObject
  readonly differs?: JsonObject
  readonly runs?: readonly Readonly<Record<string, readonly string[] | '<absent>'>>[]
}

/** The YAML reader has other words for these faults. */
const OTHER = new Set(['not YAML', 'tabs'])

const ABSENT = '<absent>'

/** As the recording shows it: plugins as "Name weight", arguments by name, nothing of what is empty. */
function shown(configuration: CompleteConfiguration, names: ReadonlyMap<string, ReadonlySet<string>>): JsonObject {
  const profile = (p: CompleteProfile): JsonObject => ({
    schedulerName: p.schedulerName,
    ...(p.percentageOfNodesToScore === undefined ? {} : { percentageOfNodesToScore: p.percentageOfNodesToScore }),
    plugins: Object.fromEntries(
      Object.entries(p.plugins).map(([point, { enabled, disabled }]) => [
        point,
        {
          ...(enabled.length === 0 ? {} : { enabled: enabled.map((e) => `${e.name} ${e.weight}`) }),
          ...(disabled.length === 0 ? {} : { disabled: disabled.map((d) => d.name) }),
        },
      ]),
    ),
    // Written is only what belongs to a plugin that runs.
    pluginConfig: Object.fromEntries(
      p.pluginConfig
        .filter((c) => c.args !== null && names.get(p.schedulerName)?.has(c.name))
        .map((c) => [c.name, withoutEmptyLists(c.args)]),
    ),
  })
  const { extenders, ...rest } = writtenConfiguration(configuration)
  return {
    ...rest,
    ...((extenders as Json[]).length === 0 ? {} : { extenders: (configuration.extenders as unknown as JsonObject[]).map(bareExtender) }),
    profiles: configuration.profiles.map(profile),
  } as JsonObject
}

/** Go leaves out lists of nothing. */
function withoutEmptyLists(value: Json): Json {
  if (!isMap(value)) return value
  const kept = Object.entries(value).filter(([, v]) => !Array.isArray(v) || v.length > 0)
  const shown = Object.fromEntries(kept.map(([k, v]) => [k, withoutEmptyLists(v ?? null)]))
  // This one it always writes.
  const required = shown.requiredDuringSchedulingIgnoredDuringExecution
  if (isMap(required)) required.nodeSelectorTerms ??= null
  return shown
}

/** Without what Go leaves out because it is the zero value. */
function bareExtender(extender: JsonObject): JsonObject {
  const bare = Object.entries(extender).filter(([, v]) => v !== false && v !== 0 && v !== '')
  return { urlPrefix: '', ...Object.fromEntries(bare) }
}

const isMap = (v: unknown): v is JsonObject => typeof v === 'object' && v !== null && !Array.isArray(v)

/** What is not as in the defaults, by maps and not by lists. */
function difference(from: Json | undefined, to: Json | undefined): Json | undefined {
  if (to === undefined) return from === undefined ? undefined : ABSENT
  if (!isMap(from) || !isMap(to)) return JSON.stringify(from) === JSON.stringify(to) ? undefined : to
  const found: JsonObject = {}
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const d = difference(from[key], to[key])
    if (d !== undefined) found[key] = d
  }
  return Object.keys(found).length === 0 ? undefined : found
}

function differenceOf(defaults: JsonObject, own: JsonObject): JsonObject {
  const { profiles: from, ...restFrom } = defaults
  const { profiles: to, ...restTo } = own
  const [first] = from as JsonObject[]
  const changed = (to as JsonObject[]).map((profile) => {
    const { schedulerName: _n, ...d } = (difference(first, profile) ?? {}) as JsonObject
    return { schedulerName: profile.schedulerName, ...d }
  })
  const plain = changed.length === 1 && Object.keys(changed[0] ?? {}).length === 1 && changed[0]?.schedulerName === 'default-scheduler'
  return { ...((difference(restFrom, restTo) ?? {}) as JsonObject), ...(plain ? {} : { profiles: changed as Json }) }
}

function read(one: Case) {
  const configuration = readConfiguration(one.text ?? JSON.stringify(one.config))
  const deps = { clock: new VirtualClock(), log: silentLogger, podsOn: () => [] }
  createExtenders(configuration.extenders, deps).close()
  const profiles = profilesOf(configuration, { random: seededRandom(1) })
  const names = new Map(profiles.map((p) => [p.schedulerName, new Set(p.all.keys())]))
  const runs = profiles.map((p) =>
    Object.fromEntries(
      POINTS.flatMap((point) => {
        const at = p.at[point] ?? []
        const weighs = point === 'score' || point === 'placementScore'
        const title = `${point.charAt(0).toUpperCase()}${point.slice(1)}`
        return at.length === 0 ? [] : [[title, at.map((x) => (weighs ? `${x.name} ${x.weight}` : x.name))] as const]
      }),
    ),
  )
  return { shown: shown(configuration, names), runs }
}

const cases: Case[] = JSON.parse(readFileSync(FILE, 'utf8'))
const defaults = cases.find((c) => c.id === 'defaults')
assert.ok(defaults)
for (const one of cases.filter((c) => !OTHER.has(c.id))) {
  test(`as recorded: ${one.id}`, () => {
    if (!one.accepted) {
      // What the kubeconfig lacks is found when it is opened, not here.
      if (one.error?.startsWith('stat ')) return
      assert.throws(
        () => read(one),
        (error) => {
          const text = messageOf(error)
          assert.equal(text.replace(/in scheme "[^"]*"/g, 'in scheme "<scheme>"'), one.error)
          return true
        },
      )
      return
    }
    const found = read(one)
    if (one.effective !== undefined) {
      assert.deepEqual(found.shown, one.effective)
      assert.deepEqual(found.runs, one.runs)
      return
    }
    const base = read(defaults)
    assert.deepEqual(differenceOf(base.shown, found.shown), one.differs ?? {})
    const [first] = base.runs
    const runs = found.runs.map((r) => (difference(first as unknown as JsonObject, r as unknown as JsonObject) ?? {}) as JsonObject)
    const reported = one.runs ?? found.runs.map(() => ({}))
    assert.deepEqual(runs, reported)
  })
}
