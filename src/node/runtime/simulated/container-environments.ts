import type { SimulatedContainer } from './behaviour.ts'
import type { ContainerPrograms, OpenedContainer, PlayedContainer, RunCommand } from './play.ts'
import type { Container, SimulatedPods } from './simulated-pods.ts'

/** Opens the environment that programs need in a container: for the main process, a command, or a connection. */
export class ContainerEnvironments {
  readonly #pods: SimulatedPods
  readonly #programs: ContainerPrograms

  constructor(pods: SimulatedPods, programs: ContainerPrograms) {
    this.#pods = pods
    this.#programs = programs
  }

  /** Whether a container needs the environment from its start: for its program, or because other containers see its processes. */
  isOpenedAtStart(container: Container): boolean {
    return (
      container.spec.processes !== undefined || this.#programs.plays(this.#pods.describe(container), container.behaviour.byCommand === true)
    )
  }

  /**
   * Opens the environment of a starting container. With a shared process namespace it shows its processes even if a script simulates it.
   */
  async openAtStart(container: Container): Promise<PlayedContainer> {
    const { pod, processes } = container.spec
    if (processes !== undefined && processes !== 'pod') {
      const partner = this.#pods.running(pod.uid).find((c) => c.spec.name === processes.of)
      if (partner !== undefined) await this.open(partner)
    }
    return this.openAnew(container)
  }

  openAnew(container: Container): Promise<PlayedContainer> {
    return this.#programs.open(this.#opened(container))
  }

  /** The environment of a running container; opened on first use. */
  async open(container: Container): Promise<PlayedContainer> {
    if (container.played !== undefined) return container.played
    container.opening ??= this.openAnew(container)
    container.played = await container.opening
    if (container.status.state !== 'running') container.played.close()
    return container.played
  }

  /** Whether only the container's command is known, and a shipped program runs it. */
  playsByCommand(container: Container): boolean {
    return this.#programs.plays(this.#pods.describe(container), true)
  }

  /** Whether a shipped server runs instead of its image. */
  serves(container: SimulatedContainer): boolean {
    return this.#programs.serves(container)
  }

  /** The program of this command in the container; `unattended`: a probe or a hook runs it. */
  async command(container: Container, words: readonly string[], unattended: boolean): Promise<RunCommand | undefined> {
    if (container.played === undefined) {
      if (!this.#programs.knows(words) && !this.#programs.standsIn(this.#pods.describe(container))) return undefined
      await this.open(container)
    }
    return container.played?.command(words, { unattended })
  }

  /** Starts the programs that serve the ports of a pod's scripted containers. False: there are none. */
  async wake(podUid: string, isReady: (container: Container) => boolean): Promise<boolean> {
    const scripted = this.#pods.running(podUid).filter((c) => c.played?.main === undefined)
    const placeholder = scripted.filter(
      (c) => c.placeholder !== undefined || (isReady(c) && this.#programs.standsIn(this.#pods.describe(c))),
    )
    for (const container of placeholder) {
      container.placeholder ??= this.open(container).then((played) => played.placeholder())
      await container.placeholder
    }
    return placeholder.length > 0
  }

  #opened(container: Container): OpenedContainer {
    const { ips = [] } = this.#pods.sandbox(container.status.sandboxId)?.status ?? {}
    const { uid, gid, supplementalGroups } = container.status.user
    return {
      ...this.#pods.describe(container),
      id: container.status.id,
      ips,
      user: { uid, gid, groups: supplementalGroups },
      resources: container.status.resources,
      behaviour: container.behaviour,
      log: container.log,
      end: (exitCode: number) => container.process?.kill(exitCode),
    }
  }
}
