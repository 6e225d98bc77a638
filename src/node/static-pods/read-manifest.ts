import { createHash } from 'node:crypto'
import { messageOf } from '../../base/message-of.ts'
import type { FieldError } from '../../machinery/field-error.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import { isObject, type Json, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { applyDefaultsAtOnce } from '../../machinery/resource/apply-defaults.ts'
import { DecodeError, decodeObject } from '../../machinery/schema/decode.ts'
import { validateObjectMeta } from '../../machinery/validation/object-meta.ts'
import { decodeYaml, YamlError } from '../../machinery/yaml/yaml.ts'
import { validatePod } from '../../resources/core/pods/pod-rules.ts'
import { pods } from '../../resources/core/pods.ts'
import { apiReference } from '../../resources/pod/api-references.ts'
import type { PodSpec, Pod as UncheckedPod } from '../../resources/pod/types.ts'
import { builtinSchema } from '../../resources/schema.ts'
import type { Pod } from '../types/pod.ts'
import { CONFIG_HASH } from './annotations.ts'

type Manifest = UncheckedPod & { spec: PodSpec }

/** Why a manifest is invalid; the message has the details. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError'
  readonly code: 'unreadable' | 'not-a-pod' | 'invalid'
  constructor(code: ManifestError['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** The source of a manifest. */
export interface ManifestOrigin {
  readonly kind: 'file' | 'http'
  /** The file, or the URL. */
  readonly source: string
  readonly node: string
}

/** Larger manifests are refused, as in the kubelet. */
export const MAX_MANIFEST_BYTES = 10 * 1024 * 1024
/** The most values of a manifest: a bound for YAML aliases. */
const MAX_VALUES = 1_000_000

const podSchema = builtinSchema('', 'v1', 'Pod')

/** Parses the pod of a manifest (YAML or JSON; the first of several documents), as its node runs it. @throws {ManifestError} */
export function readStaticPod(text: string, origin: ManifestOrigin): Pod {
  return toStaticPod(parse(text), origin)
}

/** Also accepts a `PodList`. @throws {ManifestError} */
export function readStaticPods(text: string, origin: ManifestOrigin): readonly Pod[] {
  const json = parse(text)
  if (!isObject(json) || json.apiVersion !== 'v1' || json.kind !== 'PodList') return [toStaticPod(json, origin)]
  const items = Array.isArray(json.items) ? json.items : []
  return items.map((item) => toStaticPod(isObject(item) ? { ...item, apiVersion: 'v1', kind: 'Pod' } : item, origin))
}

function parse(text: string): Json {
  try {
    return decodeYaml(text, { maxValues: MAX_VALUES }).value
  } catch (error) {
    if (error instanceof YamlError) throw new ManifestError('unreadable', error.message, error)
    throw new ManifestError('unreadable', messageOf(error), error)
  }
}

function toStaticPod(json: Json, origin: ManifestOrigin): Pod {
  if (!isObject(json) || json.apiVersion !== 'v1' || json.kind !== 'Pod') {
    const found = isObject(json) ? `${JSON.stringify(json.kind ?? '')} of ${JSON.stringify(json.apiVersion ?? '')}` : 'no object'
    throw new ManifestError('not-a-pod', `a manifest holds a Pod of v1: this is ${found}`)
  }
  const pod = decode(json)
  pod.metadata ??= {}
  if (!pod.metadata.name) throw new ManifestError('invalid', 'invalid pod: name is needed for the pod')
  applyDefaultsAtOnce(pods.rules, pod)
  adaptToNode(pod, origin)
  const faults: FieldError[] = [...validateObjectMeta(pod.metadata, { namespaced: true }), ...validatePod(pod, { allowPrivileged: true })]
  if (faults.length > 0) throw new ManifestError('invalid', `invalid pod: ${faults.map((f) => `${f.field}: ${f.message}`).join(', ')}`)
  const reference = apiReference(pod.spec)
  if (reference !== undefined) throw new ManifestError('invalid', `static pods may not reference ${reference}`)
  const checked: KubeObject = pod
  return checked as Pod
}

function decode(json: Json): Manifest {
  try {
    const { status: _, ...object } = decodeObject(podSchema(), json).object
    return object as JsonObject & Manifest
  } catch (error) {
    if (error instanceof DecodeError) throw new ManifestError('not-a-pod', error.message, error)
    throw error
  }
}

/**
 * Adapts the pod to its node: adds the node's name to its name, sets a UID that follows from its content, tolerates all NoExecute taints.
 */
function adaptToNode(pod: Manifest, { kind, source, node }: ManifestOrigin): void {
  const { metadata, spec } = pod
  metadata.uid ||= hashOf(pod, kind === 'file' ? `host:${node}file:${source}` : `url:${source}`)
  metadata.name = `${metadata.name}-${node.toLowerCase()}`
  metadata.namespace ||= 'default'
  metadata.annotations = { ...metadata.annotations, [CONFIG_HASH]: metadata.uid }
  spec.nodeName = node
  if (kind === 'file') {
    const others = (spec.tolerations ?? []).filter((t) => t.key || t.operator !== 'Exists' || t.effect !== 'NoExecute')
    spec.tolerations = [...others, { operator: 'Exists', effect: 'NoExecute' }]
  }
  pod.status = { phase: 'Pending' }
}

/** 32 hexadecimal digits, as in the kubelet, but not the same ones: those depend on the memory layout of a Go program. */
const hashOf = (pod: Manifest, source: string): string =>
  createHash('sha256')
    .update(encodeJson([pod.metadata, pod.spec]))
    .update(source)
    .digest('hex')
    .slice(0, 32)
