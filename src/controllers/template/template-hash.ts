import { byKey } from '../../base/by-text.ts'
import { fnv32a } from '../../base/fnv.ts'
import type { PodTemplateSpec } from '../../resources/types/core.ts'
import { goDump } from '../frame/go-dump.ts'

const SAFE = 'bcdfghjklmnpqrstvwxz2456789'

/** Kubernetes' way to write a hash so that it can be part of a name and spells no word. */
export const safeEncode = (text: string): string => [...text].map((c) => SAFE.charAt(c.charCodeAt(0) % SAFE.length)).join('')

/** JSON with its keys in order and what is undefined left out: equal objects have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value !== null && typeof value === 'object')
    return `{${Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .sort(byKey)
      .map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`)
      .join(',')}}`
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
}

/**
 * What names the pods of one template (`pod-template-hash`): the same as in Kubernetes, so that a cluster that is moved keeps its replica
 * sets. A template with something rare in it has a hash of our own. `collisions` makes another one.
 */
export function templateHash(template: PodTemplateSpec, collisions: number | undefined): string {
  const dumped = goDump(template, 'PodTemplateSpec') ?? canonicalJson(template)
  const bytes = new TextEncoder().encode(dumped)
  const text = new Uint8Array(bytes.length + (collisions === undefined ? 0 : 8))
  text.set(bytes)
  if (collisions !== undefined) new DataView(text.buffer).setUint32(bytes.length, collisions, true)
  return safeEncode(String(fnv32a(text)))
}
