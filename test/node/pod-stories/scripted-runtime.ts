import type { Clock } from '../../../src/base/clock.ts'
import type { Random } from '../../../src/base/random.ts'
import type { JsonObject } from '../../../src/machinery/object.ts'
import type { ContainerSpec } from '../../../src/node/runtime/container-spec.ts'
import type { PodNetwork } from '../../../src/node/runtime/pod-network.ts'
import type { Runtime, RuntimeEvent } from '../../../src/node/runtime/runtime.ts'
import { RuntimeError, type RuntimeErrorCode } from '../../../src/node/runtime/runtime-error.ts'
import type { Behaviour, Script } from '../../../src/node/runtime/simulated/behaviour.ts'
import { createSimulatedRuntime } from '../../../src/node/runtime/simulated/simulated-runtime.ts'
import type { Call, ContainerScript, ImageScript, PodScript, RunScript, RuntimeScript } from './story.ts'

/** The runtime of a story: it follows the story's script, fails if the script says so, and records its calls. */
export interface ScriptedRuntime {
  readonly runtime: Runtime
  readonly network: PodNetwork
  readonly calls: Call[]
  /** Merges a patch into the script of the story's pod. */
  change(patch: PodScript): void
  /** Ends a container of that pod, or all of them with their sandbox. */
  exit(pod: string, how: { readonly container?: string; readonly code: number; readonly sandbox: boolean }): Promise<void>
  /** Faults of the whole runtime. */
  faults: { notReady?: string; networkNotReady?: string; errors?: Readonly<Record<string, string>> }
}

const DEFAULT_STOP = { afterMs: 50, exitCode: 143 } as const
const RELIST_MS = 200
const never = new AbortController().signal

export function createScriptedRuntime(
  story: RuntimeScript,
  pod: string,
  deps: { readonly clock: Clock; readonly random: Random },
): ScriptedRuntime {
  const { clock } = deps
  let script: PodScript = story.pod ?? {}
  const calls: Call[] = []
  const starts = new Map<string, number>()
  const answered = new Map<string, number>()
  const pulls = new Map<string, number>()
  const specs = new Map<string, ContainerSpec>()
  let sandboxFailures = 0

  const containerScript = (spec: ContainerSpec): ContainerScript | undefined =>
    spec.pod.name === pod ? script.containers?.[spec.name] : undefined
  const runOf = (spec: ContainerSpec): RunScript | undefined => {
    const runs = containerScript(spec)?.runs
    return runs?.[Math.min(starts.get(key(spec)) ?? 0, runs.length - 1)]
  }
  const write = (call: string, spec: ContainerSpec | undefined, arg?: JsonObject) => {
    const of = spec !== undefined && spec.pod.name !== pod ? { of: spec.pod.name } : {}
    calls.push({ call, ...(spec && { container: spec.name }), ...(arg && { arg }), ...of })
  }
  const next = <T>(name: string, answers: readonly T[] | undefined): T | undefined => {
    if (answers === undefined || answers.length === 0) return undefined
    const at = answered.get(name) ?? 0
    answered.set(name, at + 1)
    return answers[Math.min(at, answers.length - 1)]
  }

  const played: Script = {
    container({ spec }) {
      const run = runOf(spec)
      starts.set(key(spec), (starts.get(key(spec)) ?? 0) + 1)
      return behaviourOf(spec.image, run)
    },
    image: () => ({ kind: 'found', sizeBytes: 1000 }),
  }
  const base = createSimulatedRuntime({ ...deps, script: played, podSubnets: ['10.85.0.'] })
  const failing = new Set<string>()
  const up = (verb: string) => {
    const error = scripted.faults.errors?.[verb]
    if (error !== undefined) throw new RuntimeError('runtime', `rpc error: code = Unknown desc = ${error}`)
  }

  const runtime: Runtime = {
    ...base,
    name: 'fake',
    version: '1.0.0',
    async status() {
      up('Status')
      const { notReady, networkNotReady } = scripted.faults
      const message = notReady ?? networkNotReady
      return { ready: notReady === undefined, networkReady: networkNotReady === undefined, ...(message !== undefined && { message }) }
    },
    async runSandbox(spec, signal) {
      up('RunPodSandbox')
      const own = spec.pod.name === pod
      calls.push({
        call: 'RunPodSandbox',
        ...(spec.attempt > 0 && { arg: { attempt: spec.attempt } }),
        ...(own ? {} : { of: spec.pod.name }),
      })
      const { error, times = Number.POSITIVE_INFINITY } = own ? (script.sandbox ?? {}) : {}
      if (error !== undefined && sandboxFailures++ < times) throw new RuntimeError('runtime', `rpc error: code = Unknown desc = ${error}`)
      return base.runSandbox(spec, signal)
    },
    async stopSandbox(id, signal) {
      up('StopPodSandbox')
      const [sandbox] = (await base.sandboxes({}, signal)).filter((s) => s.id === id)
      const of = sandbox !== undefined && sandbox.pod.name !== pod ? { of: sandbox.pod.name } : {}
      calls.push({ call: 'StopPodSandbox', ...of })
      await base.stopSandbox(id, signal)
    },
    async sandboxes(filter, signal) {
      up('ListPodSandbox')
      return base.sandboxes(filter, signal)
    },
    async containers(filter, signal) {
      up('ListContainers')
      const found = await base.containers(filter, signal)
      return found.map((c) => {
        const status = {
          ...c,
          image: { name: specs.get(c.id)?.image ?? c.image.name, id: `${c.image.name.replace(/:latest$/, '')}@sha256:<digest>` },
        }
        if (!failing.has(c.id)) return status
        const error = runErrors.get(c.id) ?? ''
        return {
          ...status,
          state: 'exited' as const,
          exitCode: 128,
          reason: 'StartError',
          message: error,
          startedAtMs: 0,
          finishedAtMs: c.createdAtMs,
        }
      })
    },
    async imageStatus(name, signal) {
      up('ImageStatus')
      const { inspectError, present } = imageScript(story.images, name)
      if (inspectError !== undefined) throw new RuntimeError('runtime', `rpc error: code = Unknown desc = ${inspectError}`)
      if (present) await base.pullImage({ image: name }, signal)
      const found = await base.imageStatus(name, signal)
      return found && { ...found, ...usersOf(story.images, name) }
    },
    async pullImage({ image: name }, signal) {
      up('PullImage')
      calls.push({ call: 'PullImage', arg: { image: withTag(name) } })
      const { error, code, times = Number.POSITIVE_INFINITY, delayMs = 25 } = imageScript(story.images, name)
      await clock.sleep(delayMs, signal)
      const done = pulls.get(name) ?? 0
      pulls.set(name, done + 1)
      if (error !== undefined && done < times)
        throw new RuntimeError(
          errorCode(error),
          code === undefined || code === 2 ? error : `rpc error: code = ${codeName(code)} desc = ${error}`,
        )
      const pulled = await base.pullImage({ image: name }, signal)
      return { ...pulled, ...usersOf(story.images, name) }
    },
    async createContainer(sandboxId, spec, signal) {
      up('CreateContainer')
      write('CreateContainer', spec, createArg(spec))
      const { createError } = runOf(spec) ?? {}
      if (createError !== undefined) {
        starts.set(key(spec), (starts.get(key(spec)) ?? 0) + 1)
        throw new RuntimeError('runtime', createError)
      }
      const { uid } = imageScript(story.images, spec.image)
      const user = spec.user.uid === undefined && uid !== undefined ? { ...spec.user, uid } : spec.user
      const id = await base.createContainer(sandboxId, { ...spec, user }, signal)
      specs.set(id, spec)
      return id
    },
    async startContainer(id, signal) {
      up('StartContainer')
      const spec = specs.get(id)
      write('StartContainer', spec)
      const { startError } = (spec && runOf(spec)) ?? {}
      if (spec !== undefined && startError !== undefined) {
        starts.set(key(spec), (starts.get(key(spec)) ?? 0) + 1)
        failing.add(id)
        runErrors.set(id, startError)
        throw new RuntimeError('runtime', startError)
      }
      await base.startContainer(id, signal)
    },
    async stopContainer(id, graceMs, signal) {
      up('StopContainer')
      const spec = specs.get(id)
      write('StopContainer', spec, { timeout: Math.ceil(graceMs / 1000) })
      const stopError = spec && containerScript(spec)?.runs?.at(0)?.stopError
      if (stopError !== undefined) throw new RuntimeError('runtime', `rpc error: code = Unknown desc = ${stopError}`)
      await base.stopContainer(id, graceMs, signal)
    },
    async removeContainer(id, signal) {
      up('RemoveContainer')
      const spec = specs.get(id)
      if (spec !== undefined) write('RemoveContainer', spec, { attempt: spec.attempt })
      await base.removeContainer(id, signal)
    },
    async removeSandbox(id, signal) {
      up('RemovePodSandbox')
      const held = await base.containers({}, signal)
      for (const c of held) if (c.sandboxId === id) await runtime.removeContainer(c.id, signal)
      await base.removeSandbox(id, signal)
    },
    async updateResources(id, resources, signal) {
      up('UpdateContainerResources')
      const spec = specs.get(id)
      write('UpdateContainerResources', spec)
      const { updateError, updateMs } = (spec && containerScript(spec)) ?? {}
      if (updateMs !== undefined) await clock.sleep(updateMs, signal)
      if (updateError !== undefined) throw new RuntimeError('runtime', `rpc error: code = Unknown desc = ${updateError}`)
      await base.updateResources(id, resources, signal)
    },
    async events(notify, signal) {
      // The kubelet notices an end when it lists containers, within a second.
      const late = (event: RuntimeEvent) => (event.kind === 'died' ? clock.after(RELIST_MS, () => notify(event)) : notify(event))
      await base.events(late, signal)
    },
    async execSync(id, command, timeoutMs, signal) {
      up('ExecSync')
      const spec = specs.get(id)
      write('ExecSync', spec, { cmd: [...command], timeout: timeoutMs / 1000 })
      const words = command.join(' ')
      const match = spec && containerScript(spec)?.exec?.find((e) => words.includes(e.match))
      const answer = next(`${spec && key(spec)} ${match?.match}`, match?.answers) ?? {}
      const { delayMs = 0, code = 0, stdout = '', stderr = '', error } = answer
      const limited = timeoutMs > 0 && delayMs > timeoutMs
      const waited = await untilEnded(id, limited ? timeoutMs : delayMs, signal)
      if (error !== undefined) throw new RuntimeError('runtime', `rpc error: code = Unknown desc = ${error}`)
      if (waited === 'ended')
        throw new RuntimeError(
          'runtime',
          'rpc error: code = Unknown desc = failed to exec in container: container is in CONTAINER_EXITED state',
        )
      if (limited) throw new RuntimeError('deadline', 'timed out')
      return { exitCode: code, stdout, stderr }
    },
  }
  const runErrors = new Map<string, string>()

  /** A command ends with its container. */
  async function untilEnded(id: string, ms: number, signal: AbortSignal): Promise<'waited' | 'ended'> {
    const endMs = clock.now() + ms
    for (;;) {
      const it = (await base.containers({}, never)).find((c) => c.id === id)
      if (it?.state !== 'running') return 'ended'
      const leftMs = endMs - clock.now()
      if (leftMs <= 0) return 'waited'
      await clock.sleep(Math.min(leftMs, 50), signal)
    }
  }

  const listenerAt = async (host: string, port: number) => {
    for (const c of await base.containers({}, never)) {
      if (c.state !== 'running') continue
      const [sandbox] = (await base.sandboxes({ podUid: c.pod.uid }, never)).filter((s) => s.id === c.sandboxId)
      const spec = specs.get(c.id)
      if (!sandbox?.ips.includes(host) || spec === undefined) continue
      const listener = containerScript(spec)?.serve?.find((l) => l.port === port)
      if (listener !== undefined) return { listener, spec }
    }
    return undefined
  }
  const refused = (host: string, port: number) => `dial tcp ${host}:${port}: connect: connection refused`

  const network: PodNetwork = {
    async http(request, signal) {
      const { scheme, host, port, path, timeoutMs } = request
      const url = `${scheme}://${host}:${port}${path}`
      const found = await listenerAt(host, port)
      if (found === undefined) throw new Error(`Get "${url}": ${refused(host, port)}`)
      if (scheme === 'http' && found.listener.kind === 'https')
        return { status: 400, body: 'Client sent an HTTP request to an HTTPS server.\n' }
      if (scheme === 'https' && found.listener.kind === 'http')
        throw new Error(`Get "${url}": http: server gave HTTP response to HTTPS client`)
      const answer = next(`${key(found.spec)} ${port}`, found.listener.answers) ?? {}
      const { status = 200, body = '', delayMs = 0, location } = answer
      if (delayMs > timeoutMs) {
        await clock.sleep(timeoutMs, signal)
        throw new Error(`Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`)
      }
      if (delayMs > 0) await clock.sleep(delayMs, signal)
      // A 304 has no body.
      return { status, body: status === 304 ? '' : body.slice(0, 10_240), ...(location !== undefined && { location }) }
    },
    async tcp({ host, port }) {
      if ((await listenerAt(host, port)) === undefined) throw new Error(refused(host, port))
    },
    async grpcHealth({ host, port, timeoutMs }, signal) {
      const found = await listenerAt(host, port)
      if (found?.listener.kind !== 'grpc') {
        await clock.sleep(timeoutMs, signal)
        throw new Error(`timeout: failed to connect service "${host}:${port}" within ${timeoutMs / 1000}s: context deadline exceeded`)
      }
      const answer = next(`${key(found.spec)} ${port}`, found.listener.answers) ?? { status: 1 }
      if ((answer.delayMs ?? 0) > timeoutMs) {
        await clock.sleep(timeoutMs, signal)
        throw new Error(`timeout: health rpc did not complete within ${timeoutMs / 1000}s`)
      }
      if (answer.grpcCode === 'Unimplemented') return 'unimplemented'
      if (answer.grpcCode !== undefined)
        throw new Error(`error: health rpc probe failed: rpc error: code = ${answer.grpcCode} desc = ${answer.error ?? ''}`)
      return (['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const)[answer.status ?? 1] ?? 'UNKNOWN'
    },
  }

  const scripted: ScriptedRuntime = {
    runtime,
    network,
    calls,
    faults: {},
    change(patch) {
      const containers = { ...script.containers }
      for (const [name, more] of Object.entries(patch.containers ?? {})) containers[name] = { ...containers[name], ...more }
      script = { ...script, ...patch, containers }
      answered.clear()
    },
    async exit(name, { container, code, sandbox }) {
      for (const c of await base.containers({}, never)) {
        if (c.pod.name !== name || c.state !== 'running' || (container !== undefined && c.name !== container)) continue
        base.end(c.id, code)
      }
      if (!sandbox) return
      for (const s of await base.sandboxes({}, never)) if (s.pod.name === name && s.state === 'ready') await base.stopSandbox(s.id, never)
    },
  }
  return scripted
}

const key = (spec: ContainerSpec) => `${spec.pod.uid} ${spec.name}`

const withTag = (image: string) =>
  image.slice(image.lastIndexOf('/') + 1).includes(':') || image.includes('@') ? image : `${image}:latest`

function imageScript(images: Readonly<Record<string, ImageScript>> | undefined, name: string): ImageScript {
  const reported = images?.[name] ?? images?.[withTag(name)] ?? images?.[name.replace(/:latest$/, '')]
  if (reported !== undefined) return reported
  return /^missing/.test(name.slice(name.lastIndexOf('/') + 1)) ? { error: `manifest for ${name} not found` } : {}
}

function usersOf(images: Readonly<Record<string, ImageScript>> | undefined, name: string) {
  const { uid, username } = imageScript(images, name)
  return { ...(uid !== undefined && { uid }), ...(username !== undefined && { username }) }
}

/** gRPC codes by number. */
const CODES: Readonly<Record<number, string>> = { 4: 'DeadlineExceeded', 5: 'NotFound', 7: 'PermissionDenied', 14: 'Unavailable' }

const codeName = (code: number | string) => (typeof code === 'string' ? code : (CODES[code] ?? 'Unknown'))

function errorCode(error: string): RuntimeErrorCode {
  if (error.startsWith('RegistryUnavailable')) return 'registry-unavailable'
  if (error.startsWith('SignatureValidationFailed')) return 'signature-invalid'
  return 'image-not-found'
}

function behaviourOf(image: string, run: RunScript | undefined): Behaviour {
  const name = image.slice(image.lastIndexOf('/') + 1)
  const logs = run?.log?.map((l) => l.replace(/^(stdout|stderr) /, ''))
  const onStop =
    run?.onTerm?.ignore === true
      ? ('ignore' as const)
      : { afterMs: run?.onTerm?.afterMs ?? DEFAULT_STOP.afterMs, exitCode: run?.onTerm?.code ?? DEFAULT_STOP.exitCode }
  if (run !== undefined) {
    return {
      ...(run.exitAfterMs !== undefined && { runMs: run.exitAfterMs }),
      exitCode: run.code ?? 0,
      ...(run.reason !== undefined && { reason: run.reason }),
      ...(run.message !== undefined && { message: run.message }),
      ...(logs && { logs }),
      onStop,
    }
  }
  if (/^done/.test(name)) return { runMs: 0, exitCode: 0 }
  if (/^fail/.test(name)) return { runMs: 0, exitCode: 3 }
  return { onStop }
}

/** The recorded part of a container's configuration. */
function createArg(spec: ContainerSpec): JsonObject {
  const envs = spec.environment.filter((e) => !e.name.startsWith('KUBERNETES_'))
  return {
    image: spec.image,
    ...(spec.attempt > 0 && { attempt: spec.attempt }),
    ...(spec.command.length > 0 && { command: [...spec.command] }),
    ...(spec.args.length > 0 && { args: [...spec.args] }),
    ...(envs.length > 0 && { envs: envs.map(({ name, value }) => (value === '' ? { key: name } : { key: name, value })) }),
  }
}
