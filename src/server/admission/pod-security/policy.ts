import { type FieldError, invalid } from '../../../machinery/field-error.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { CHECKS, type Violation } from './checks.ts'

const PREFIX = 'pod-security.kubernetes.io/'
const MODES = ['enforce', 'audit', 'warn'] as const
type Mode = (typeof MODES)[number]
export type Level = 'privileged' | 'baseline' | 'restricted'

/** A level of the standards at a version: `restricted:v1.20`, `baseline:latest`. */
export interface LevelVersion {
  readonly level: Level
  /** `latest` or the minor number. */
  readonly version: 'latest' | number
}

/** What a namespace asks for in each mode. */
export type Policy = Readonly<Record<Mode, LevelVersion>>

const FREE: LevelVersion = { level: 'privileged', version: 'latest' }
const LATEST_MINOR = 36
const isLevel = (text: string): text is Level => text === 'privileged' || text === 'baseline' || text === 'restricted'

/** Reads the labels of a namespace. What is wrong in them counts as the strictest, so that a typing error opens no door. */
export function readPolicy(labels: Readonly<Record<string, string>> | undefined): {
  readonly policy: Policy
  readonly faults: readonly FieldError[]
} {
  const policy: Record<Mode, LevelVersion> = { enforce: FREE, audit: FREE, warn: FREE }
  const faults: FieldError[] = []
  if (labels === undefined) return { policy, faults }
  const at = (key: string) => `metadata.labels[${key}]`
  for (const mode of MODES) {
    const levelKey = PREFIX + mode
    const versionKey = `${levelKey}-version`
    let { level, version }: LevelVersion = FREE
    const levelText = Object.hasOwn(labels, levelKey) ? labels[levelKey] : undefined
    if (levelText !== undefined) {
      level = isLevel(levelText) ? levelText : 'restricted'
      if (!isLevel(levelText)) faults.push(invalid(at(levelKey), levelText, 'must be one of privileged, baseline, restricted'))
    }
    const versionText = Object.hasOwn(labels, versionKey) ? labels[versionKey] : undefined
    if (versionText !== undefined && versionText !== 'latest') {
      const minor = /^v1\.(0|[1-9]\d{0,8})$/.exec(versionText)?.[1]
      if (minor === undefined) faults.push(invalid(at(versionKey), versionText, 'must be "latest" or "v1.x"'))
      else version = Number(minor)
    }
    policy[mode] = { level, version }
  }
  return { policy, faults }
}

/** `restricted:latest` */
export const levelText = (lv: LevelVersion): string => `${lv.level}:${lv.version === 'latest' ? 'latest' : `v1.${lv.version}`}`

/** What in the pod breaks the level. */
export function violations(lv: LevelVersion, metadata: KubeObject['metadata'], spec: KubeObject['spec']): Violation[] {
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
