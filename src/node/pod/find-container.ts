import type { Runtime } from '../runtime/runtime.ts'

/** The newest attempt of a pod's container, if it runs. */
export async function findContainer(runtime: Runtime, podUid: string, name: string, signal: AbortSignal): Promise<string | undefined> {
  const newest = (await runtime.containers({ podUid }, signal)).find((c) => c.name === name)
  return newest?.state === 'running' ? newest.id : undefined
}

/** The pod's sandbox, if it is ready. */
export async function findSandbox(runtime: Runtime, podUid: string, signal: AbortSignal): Promise<string | undefined> {
  const [newest] = await runtime.sandboxes({ podUid }, signal)
  return newest?.state === 'ready' ? newest.id : undefined
}
