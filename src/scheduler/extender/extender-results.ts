import { goDecode } from '../../machinery/go/go-decode.ts'
import { type GoType, goAny, goInt64, goString, listOf, mapOf, struct } from '../../machinery/go/go-type.ts'
import type { Json } from '../../machinery/object.ts'
import { ExtenderError } from './extender-error.ts'
import { firstJson } from './first-value.ts'

/** An extender's response, decoded as by Go: keys in any case, null for nothing, unknown keys ignored. */
export interface FilterResult {
  readonly Nodes?: { readonly items?: readonly { readonly metadata?: { readonly name?: string } }[] }
  readonly NodeNames?: readonly string[]
  readonly FailedNodes?: Readonly<Record<string, string>>
  readonly FailedAndUnresolvableNodes?: Readonly<Record<string, string>>
  readonly Error?: string
}

export interface PreemptionResult {
  readonly NodeNameToMetaVictims?: Readonly<
    Record<string, { readonly Pods?: readonly { readonly UID?: string }[]; readonly NumPDBViolations?: number } | null>
  >
}

export interface BindingResult {
  readonly Error?: string
}

export type HostPriorities = readonly { readonly Host?: string; readonly Score?: number }[]

const NODE_LIST = struct('v1.NodeList', {
  kind: goString,
  apiVersion: goString,
  metadata: goAny,
  items: listOf(
    struct('v1.Node', {
      kind: goString,
      apiVersion: goString,
      metadata: struct('v1.ObjectMeta', { name: goString }),
      spec: goAny,
      status: goAny,
    }),
  ),
})

const FILTER = struct('v1.ExtenderFilterResult', {
  Nodes: NODE_LIST,
  NodeNames: listOf(goString),
  FailedNodes: mapOf(goString),
  FailedAndUnresolvableNodes: mapOf(goString),
  Error: goString,
})

const PREEMPTION = struct('v1.ExtenderPreemptionResult', {
  NodeNameToMetaVictims: mapOf(
    struct('v1.MetaVictims', { Pods: listOf(struct('v1.MetaPod', { UID: goString })), NumPDBViolations: goInt64 }),
  ),
})

const BINDING = struct('v1.ExtenderBindingResult', { Error: goString })

const PRIORITIES: GoType = listOf(struct('v1.HostPriority', { Host: goString, Score: goInt64 }))

/** @throws {Error} in Go's words */
async function decode(text: string, type: GoType, name: string | undefined): Promise<Json | undefined> {
  const first = await firstJson(text)
  if (first.kind === 'fault') throw new ExtenderError('bad-answer', first.fault)
  const { value, fault } = goDecode(first.value, type, { ignoreCase: true })
  // The list of priorities has a name of its own, which errors about the whole of it show.
  if (fault !== undefined)
    throw new ExtenderError('bad-answer', name === undefined ? fault : fault.replace(/Go value of type \S+$/, `Go value of type ${name}`))
  return value
}

export const readFilterResult = async (text: string) => ((await decode(text, FILTER, undefined)) ?? {}) as FilterResult
export const readPreemptionResult = async (text: string) => ((await decode(text, PREEMPTION, undefined)) ?? {}) as PreemptionResult
export const readBindingResult = async (text: string) => ((await decode(text, BINDING, undefined)) ?? {}) as BindingResult
export const readPriorities = async (text: string) => ((await decode(text, PRIORITIES, 'v1.HostPriorityList')) ?? []) as HostPriorities
