import { actFor } from '../../base/cause.ts'
import { messageOf } from '../../base/message-of.ts'
import { quiet } from '../../base/quiet.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { ExtensionPoint, ExtensionPointTimes } from './extension-point-times.ts'
import type { ExternalPlugin } from './external-plugin.ts'
import type { BindDeps, Permission, PermitDeps, Plugin, PreBindDeps, Reservation } from './plugin.ts'
import type { ProfilePlugins } from './profile.ts'
import type { Verdict } from './verdict.ts'

export interface BindingDeps extends PermitDeps {
  readonly preBind: PreBindDeps
  readonly bind: BindDeps
  /** Called before a wait that may take long: the node is then written to the pod's status as nominated. Never rejects. */
  readonly expects: (node: string) => Promise<void>
  /** Where the times of extension points are counted; undefined: nowhere. */
  readonly times?: ExtensionPointTimes | undefined
}

/** The result for a placed pod. `turned-down`: a plugin rejected it; `failed`: an error, whose message names the cause. */
export type Bound =
  | { readonly kind: 'bound' }
  | { readonly kind: 'turned-down'; readonly verdict: Verdict }
  | { readonly kind: 'failed'; readonly message: string; readonly error: unknown }

/**
 * Runs Reserve, Permit, PreBind, Bind and PostBind for a pod with its node. Unless the pod is bound, reservations are undone, the last
 * first.
 */
export async function bindingCycle(
  pod: PodInfo,
  node: string,
  plugins: ProfilePlugins,
  external: readonly ExternalPlugin[],
  deps: BindingDeps,
): Promise<Bound> {
  const undo: (() => unknown)[] = []
  let done: Bound | undefined
  try {
    const { resourceVersion: revision = '' } = pod.pod.metadata
    done = await actFor({ revision, controller: 'scheduler' }, () => carry({ pod, node, plugins, external, deps, undo }))
    return done
  } finally {
    if (done?.kind !== 'bound') for (const back of undo.reverse()) await back()
  }
}

interface Carriage {
  readonly pod: PodInfo
  readonly node: string
  readonly plugins: ProfilePlugins
  readonly external: readonly ExternalPlugin[]
  readonly deps: BindingDeps
  readonly undo: (() => unknown)[]
}

async function carry(carriage: Carriage): Promise<Bound> {
  const { pod, node, plugins } = carriage
  const stopped =
    (plugins.reserve.length === 0 ? undefined : await timed(carriage, 'Reserve', reserve)) ??
    (plugins.permit.length === 0 ? undefined : await timed(carriage, 'Permit', permit)) ??
    (plugins.preBind.length === 0 ? undefined : await timed(carriage, 'PreBind', preBind)) ??
    (await timed(carriage, 'Bind', bind))
  if (stopped !== undefined) return stopped
  for (const plugin of plugins.postBind) plugin.postBind?.(pod, node)
  return BOUND
}

async function timed(
  carriage: Carriage,
  point: ExtensionPoint,
  run: (carriage: Carriage) => Promise<Bound | undefined>,
): Promise<Bound | undefined> {
  const { plugins, deps } = carriage
  const { times } = deps
  const begun = times?.now() ?? 0
  const stopped = await run(carriage)
  const status = stopped === undefined ? 'Success' : stopped.kind === 'failed' ? 'Error' : 'Unschedulable'
  times?.ran(point, plugins, status, times.now() - begun)
  return stopped
}

const BOUND: Bound = { kind: 'bound' }

async function reserve({ pod, node, plugins, deps, undo }: Carriage): Promise<Bound | undefined> {
  for (const plugin of plugins.reserve) {
    let reservation: Reservation | undefined
    try {
      const made = plugin.reserve?.(pod, node, deps.context)
      reservation = made instanceof Promise ? await made : made
    } catch (error) {
      return failed('Reserve', plugin, error)
    }
    if (reservation === undefined) continue
    if ('refuse' in reservation) return { kind: 'turned-down', verdict: reservation.refuse }
    undo.push(reservation.undo)
  }
  return undefined
}

async function permit({ pod, node, plugins, deps }: Carriage): Promise<Bound | undefined> {
  const waits = new Map<string, number>()
  for (const plugin of plugins.permit) {
    let permission: Permission
    try {
      permission = await plugin.permit?.(pod, node, deps)
    } catch (error) {
      return failed('Permit', plugin, error)
    }
    if (permission === undefined) continue
    if ('refuse' in permission) return { kind: 'turned-down', verdict: permission.refuse }
    waits.set(plugin.name, permission.waitMs)
  }
  if (waits.size === 0) return undefined
  const answer = deps.waitingPods.wait(pod, node, waits)
  await deps.expects(node)
  const verdict = await answer
  return verdict === undefined ? undefined : { kind: 'turned-down', verdict }
}

async function preBind({ pod, node, plugins, deps }: Carriage): Promise<Bound | undefined> {
  let isAnnounced = false
  for (const plugin of plugins.preBind) {
    try {
      const work = plugin.preBind?.(pod, node, deps.preBind)
      if (work === undefined) continue
      if (!isAnnounced) {
        isAnnounced = true
        void quiet(work, 'it is under way: its failure is handled below')
        await deps.expects(node)
      }
      await work
    } catch (error) {
      return failed('PreBind', plugin, error)
    }
  }
  return undefined
}

/** The extender that binds, or the first bind plugin that does not leave it to the next. */
async function bind({ pod, node, plugins, external, deps }: Carriage): Promise<Bound | undefined> {
  const plugin = external.find((g) => g.bind !== undefined)
  try {
    if (plugin !== undefined && (await plugin.bind?.(pod, node)) === true) return undefined
  } catch (error) {
    return { kind: 'failed', message: messageOf(error), error }
  }
  for (const plugin of plugins.bind) {
    try {
      const work = plugin.bind?.(pod, node, deps.bind)
      if (work === undefined) continue
      await work
      return undefined
    } catch (error) {
      const { message } = failed('Bind', plugin, error)
      return { kind: 'failed', message: `binding rejected: ${message}`, error }
    }
  }
  return { kind: 'failed', message: `binding rejected: no bind plugin wants pod ${pod.key}`, error: undefined }
}
const failed = (point: string, { name }: Plugin, error: unknown): Extract<Bound, { kind: 'failed' }> => ({
  kind: 'failed',
  message: `running ${point} plugin "${name}": ${messageOf(error)}`,
  error,
})
