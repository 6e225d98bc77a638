import { type FieldError, invalid } from '../../../machinery/field-error.ts'
import type { ObjectMeta } from '../../../machinery/object.ts'
import type { PodSpec } from '../../../resources/types/core.ts'
import { CHECKS, type Violation } from './checks.ts'

const PREFIX = 'pod-security.kubernetes.io/'
export const MODES = ['enforce', 'audit', 'warn'] as const
export type Mode = (typeof MODES)[number]
export type Level = 'privileged' | 'baseline' | 'restricted'

/** A level of the standards at a version: `restricted:v1.20`, `baseline:latest`. */
export interface LevelVersion {
  readonly level: Level
  /** `latest` or the minor number. */
  readonly version: 'latest' | number
}

/** The level of a namespace in each mode. */
export type NamespacePolicy = Readonly<Record<Mode, LevelVersion>>

const FREE: LevelVersion = { level: 'privileged', version: 'latest' }
const LATEST_MINOR = 36
export const isLevel = (text: string): text is Level => text === 'privileged' || text === 'baseline' || text === 'restricted'
export const LEVEL_RULE = 'must be one of privileged, baseline, restricted'
export const VERSION_RULE = 'must be "latest" or "v1.x"'

/** `latest`, or the minor number of `v1.x`; undefined if it is invalid. */
export function readVersion(text: string): LevelVersion['version'] | undefined {
  if (text === 'latest') return text
  const minor = /^v1\.(0|[1-9]\d{0,8})$/.exec(text)?.[1]
  return minor === undefined ? undefined : Number(minor)
}

/** Kubernetes' defaults: everything is allowed. */
export const FREE_POLICY: NamespacePolicy = { enforce: FREE, audit: FREE, warn: FREE }

/** The level for an invalid label: a typing error neither loosens the policy nor floods clients with warnings. */
const WRONG: Readonly<Record<Mode, Level>> = { enforce: 'restricted', audit: 'privileged', warn: 'privileged' }

const STRICTNESS: Readonly<Record<Level, number>> = { privileged: 0, baseline: 1, restricted: 2 }

/** Whether the first level is stricter than the second. */
export const isStricter = (a: Level, b: Level): boolean => STRICTNESS[a] > STRICTNESS[b]

/** The label of a namespace with the level of a mode, and the one with its version. */
export const levelLabel = (mode: Mode): string => PREFIX + mode
export const versionLabel = (mode: Mode): string => `${PREFIX}${mode}-version`

/**
 * Reads the labels of a namespace over the defaults. If `enforce` is stricter than `warn` and `warn` is not set, `warn` is raised to it.
 */
export function readPolicy(
  labels: Readonly<Record<string, string>> | undefined,
  defaults: NamespacePolicy = FREE_POLICY,
): {
  readonly policy: NamespacePolicy
  readonly faults: readonly FieldError[]
} {
  if (labels === undefined) return { policy: defaults, faults: [] }
  const faults: FieldError[] = []
  const label = (key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined)
  const fault = (key: string, text: string, rule: string) => faults.push(invalid(`metadata.labels[${key}]`, text, rule))
  const read = (mode: Mode): LevelVersion => {
    let { level, version }: LevelVersion = defaults[mode]
    const levelText = label(levelLabel(mode))
    if (levelText !== undefined) {
      level = isLevel(levelText) ? levelText : WRONG[mode]
      if (!isLevel(levelText)) fault(levelLabel(mode), levelText, LEVEL_RULE)
    }
    const versionText = label(versionLabel(mode))
    if (versionText !== undefined) {
      const found = readVersion(versionText)
      if (found === undefined) fault(versionLabel(mode), versionText, VERSION_RULE)
      version = found ?? 'latest'
    }
    return { level, version }
  }
  const [enforce, audit, warn] = [read('enforce'), read('audit'), read('warn')]
  const enforceText = label(levelLabel('enforce'))
  const follows =
    label(levelLabel('warn')) === undefined && enforceText !== undefined && isLevel(enforceText) && isStricter(enforce.level, warn.level)
  const version = label(versionLabel('warn')) === undefined ? enforce.version : warn.version
  return { policy: { enforce, audit, warn: follows ? { level: enforce.level, version } : warn }, faults }
}

/** `restricted:latest` */
export const levelText = (lv: LevelVersion): string => `${lv.level}:${lv.version === 'latest' ? 'latest' : `v1.${lv.version}`}`

/** The violations of a level. */
export function violations(lv: LevelVersion, metadata: ObjectMeta, spec: PodSpec): Violation[] {
  if (lv.level === 'privileged') return []
  const minor = Math.min(lv.version === 'latest' ? LATEST_MINOR : lv.version, LATEST_MINOR)
  const active = CHECKS.filter((c) => c.since <= minor && (c.level === 'baseline' || lv.level === 'restricted'))
  const overridden = new Set(active.map((c) => c.overrides))
  const found: Violation[] = []
  for (const check of active) {
    const violation = overridden.has(check.id) ? undefined : check.find({ metadata, spec, minor })
    if (violation !== undefined) found.push(violation)
  }
  return found
}

/** `hostPort (container "m" uses hostPort 80), …` */
export const detailText = (found: readonly Violation[]): string =>
  found.map((v) => (v.detail === '' ? v.reason : `${v.reason} (${v.detail})`)).join(', ')

/** `hostPort, runAsNonRoot != true` */
export const reasonText = (found: readonly Violation[]): string => found.map((v) => v.reason).join(', ')
