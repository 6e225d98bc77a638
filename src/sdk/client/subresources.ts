import type { KubeObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { PODS, SERVICE_ACCOUNTS } from '../../resources/refs.ts'
import type { Scale } from '../../resources/types/autoscaling-v1.ts'
import type { Client, PatchType, ReadOptions, Target, WriteOptions } from './client.ts'
import type { PodTarget } from './pod-connections.ts'

const statusOf = (target: Target): Target => ({ ...target, subresource: 'status' })
const scaleOf = (target: Target): Target => ({ ...target, subresource: 'scale' })

/**
 * Replaces the status of an object; what else differs in `object` is ignored. With a resourceVersion, fails with 409 Conflict like any
 * update.
 */
export const updateStatus = <T extends KubeObject>(
  client: Client,
  target: Target,
  object: T,
  options?: WriteOptions,
): Promise<Readonly<T>> => client.update(statusOf(target), object, options)

/**
 * Changes the status of an object.
 *
 * ```ts
 * await patchStatus(client, { ...GADGETS, namespace, name }, 'merge', { status: { ready: true } })
 * ```
 */
export const patchStatus = <T extends KubeObject = KubeObject>(
  client: Client,
  target: Target,
  type: PatchType,
  patch: object,
  options?: WriteOptions & { readonly force?: boolean },
): Promise<Readonly<T>> => client.patch<T>(statusOf(target), type, patch, options)

/** The desired and current number of replicas, for any kind with the subresource `scale`. */
export const getScale = (client: Client, target: Target, options?: ReadOptions): Promise<Readonly<Scale>> =>
  client.get<Scale>(scaleOf(target), options)

/** Sets the desired number of replicas. */
export const setScale = (client: Client, target: Target, replicas: number, options?: WriteOptions): Promise<Readonly<Scale>> =>
  client.patch<Scale>(scaleOf(target), 'merge', { spec: { replicas } }, options)

/** Deletes a pod unless a disruption budget forbids it: then it fails with 429 TooManyRequests. */
export async function evictPod(
  client: Client,
  pod: PodTarget,
  { gracePeriodSeconds, ...options }: WriteOptions & { readonly gracePeriodSeconds?: number } = {},
): Promise<void> {
  const { namespace, name } = pod
  const deleteOptions = gracePeriodSeconds === undefined ? {} : { deleteOptions: { gracePeriodSeconds } }
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, ...deleteOptions }
  await client.create<KubeObject>({ ...PODS, namespace, name, subresource: 'eviction' }, eviction, options)
}

/** Binds a pod to a node, as a scheduler does. Fails with 409 Conflict if it is bound already. */
export async function bindPod(
  client: Client,
  pod: PodTarget & { readonly uid?: string },
  nodeName: string,
  options?: WriteOptions,
): Promise<void> {
  const { namespace, name, uid } = pod
  const target = { apiVersion: 'v1', kind: 'Node', name: nodeName }
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, ...(uid === undefined ? {} : { uid }) }, target }
  await client.create<KubeObject>({ ...PODS, namespace, name, subresource: 'binding' }, binding, options)
}

/** A token of a service account, and when it ends. */
export interface ServiceAccountToken {
  readonly token: string
  /** RFC 3339. */
  readonly expirationTimestamp: string
}

/** Options of a TokenRequest. */
export interface TokenOptions {
  /** The audiences of the token. Default: the API server. */
  readonly audiences?: readonly string[]
  /** At least 600. Default 3600. */
  readonly expirationSeconds?: number
  /** The pod, secret or node with which it ends. Default: none. */
  readonly boundTo?: { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid: string }
}

/** A fresh token of a service account. */
export async function requestToken(
  client: Client,
  account: PodTarget,
  { audiences = [], expirationSeconds = 3600, boundTo }: TokenOptions = {},
): Promise<ServiceAccountToken> {
  const { namespace, name } = account
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { audiences: [...audiences], expirationSeconds, ...(boundTo && { boundObjectRef: { ...boundTo } }) },
  }
  const { status } = await client.create<KubeObject<unknown, ServiceAccountToken>>(
    { ...SERVICE_ACCOUNTS, namespace, name, subresource: 'token' },
    request,
  )
  if (status === undefined)
    throw new StatusError({ code: 500, message: `the server gave no token for service account ${namespace}/${name}` })
  return { token: status.token, expirationTimestamp: status.expirationTimestamp }
}
