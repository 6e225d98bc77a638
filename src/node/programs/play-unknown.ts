import type { ContainerProcess, ProgramPort } from './program.ts'
import type { UnknownProgram } from './shipped/shipped-process.ts'

type UnknownContainer = Pick<ContainerProcess, 'facts' | 'listen' | 'clock'>

/**
 * A program that is not known is assumed to work: it responds on its container's ports, and ends according to the script. Resolves with
 * its exit code.
 */
export async function playUnknown(
  container: UnknownContainer,
  { runMs, exitCode, played }: UnknownProgram,
  signal?: AbortSignal,
): Promise<number> {
  played?.()
  if (runMs !== undefined) {
    await container.clock.sleep(runMs, signal)
    return exitCode
  }
  const ports = await serveDeclared(container)
  try {
    await container.clock.sleep(Number.MAX_SAFE_INTEGER, signal)
  } finally {
    for (const port of ports) port.close()
  }
  return exitCode
}

/** Opens the ports that the container declares; a port that another container of the pod has is left out. */
export async function serveDeclared(container: UnknownContainer): Promise<readonly ProgramPort[]> {
  if (container.facts.ports.length === 0) return []
  const { answering } = await import('./shipped/images/nothing-runs.ts')
  const { name, image, pod } = container.facts
  const take = answering(
    `simulated: nothing runs in container ${name} (${image}) of pod ${pod.namespace}/${pod.name}\n`,
    container.clock.now(),
  )
  const opened = await Promise.allSettled(container.facts.ports.map((port) => container.listen(port, { connection: take })))
  return opened.filter((one) => one.status === 'fulfilled').map((one) => one.value)
}
