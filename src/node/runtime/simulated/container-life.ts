import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import type { RuntimeEvent } from '../runtime.ts'
import { RuntimeError } from '../runtime-error.ts'
import type { Script } from './behaviour.ts'
import { COMMON } from './common-specs.ts'
import type { ContainerEnvironments } from './container-environments.ts'
import type { SimulatedExit } from './play.ts'
import { ScriptedPlay } from './scripted-play.ts'
import type { Container, SimulatedPods } from './simulated-pods.ts'
import { SimulatedProcess } from './simulated-process.ts'

export interface ContainerLifeDeps {
  readonly pods: SimulatedPods
  readonly script: Script
  readonly clock: Clock
  /** Undefined: scripts simulate every container. */
  readonly environments: ContainerEnvironments | undefined
  readonly emit: (event: RuntimeEvent) => void
}

/** Starts the processes of containers, and records their ends. */
export class ContainerLife {
  readonly #deps: ContainerLifeDeps

  constructor(deps: ContainerLifeDeps) {
    this.#deps = deps
  }

  /** @throws {RuntimeError} if it was started before, or is removed while its program is loaded */
  async start(container: Container): Promise<void> {
    const { pods, clock, environments, emit } = this.#deps
    const { id } = container.status
    if (container.status.state !== 'created') throw new RuntimeError('runtime', `container ${id} has been started before`)
    this.#readScript(container)
    if (environments?.isOpenedAtStart(container)) {
      container.played = await environments.openAtStart(container)
      const removed = pods.find(id) !== container
      if (removed) container.played.close()
      if (removed || container.status.state !== 'created') throw new RuntimeError('runtime', `container ${id} has gone`)
    }
    const startedAtMs = clock.now()
    container.status = { ...container.status, state: 'running', startedAtMs }
    if (container.played?.main === undefined) for (const line of this.#firstLines(container)) container.log.append(line, startedAtMs)
    emit({ kind: 'started', podUid: container.spec.pod.uid, containerId: id })
    this.#begin(container)
  }

  /** Restores a container that ran before this process started. A program lost its state and starts again. */
  resume(container: Container, startedAtMs: number): void {
    const { environments } = this.#deps
    this.#readScript(container)
    container.status = { ...container.status, state: 'running', startedAtMs }
    if (environments?.isOpenedAtStart(container)) this.#resumeProgram(container, environments)
    else this.#begin(container)
  }

  /** Whether its probes succeed now, according to its script. */
  isReady({ status, behaviour }: Container): boolean {
    return (status.startedAtMs ?? 0) + (behaviour.readyMs ?? 0) <= this.#deps.clock.now()
  }

  /** What people should know of a container that runs no program; undefined: there is nothing to say. */
  remark(container: Container): string | undefined {
    const { pods, environments } = this.#deps
    const { remark, runMs } = container.behaviour
    if (remark === undefined || container.played?.main !== undefined) return undefined
    // A shipped server runs instead of its image until it is stopped.
    return runMs === undefined && environments?.serves(pods.describe(container)) ? undefined : remark
  }

  #firstLines(container: Container): readonly string[] {
    const remark = this.remark(container)
    return [...(remark === undefined ? [] : [`simulated: ${remark}`]), ...(container.behaviour.logs ?? [])]
  }

  #readScript(container: Container): void {
    const { pods, script } = this.#deps
    container.behaviour = COMMON.of(script.container(pods.describe(container)))
  }

  #resumeProgram(container: Container, environments: ContainerEnvironments): void {
    const { pods } = this.#deps
    environments.openAnew(container).then(
      (played) => {
        if (pods.find(container.status.id) !== container || container.status.state !== 'running') return played.close()
        container.played = played
        this.#begin(container)
      },
      (error: unknown) => this.#ended(container, { exitCode: 128, reason: 'StartError', message: messageOf(error) }),
    )
  }

  #begin(container: Container): void {
    const { clock } = this.#deps
    const play = container.played?.main ?? new ScriptedPlay(container.behaviour, clock)
    container.process = new SimulatedProcess(play, clock, (exit) => this.#ended(container, exit))
    container.process.run()
  }

  #ended(container: Container, exit: SimulatedExit): void {
    const { clock, emit } = this.#deps
    container.process = undefined
    container.played?.close()
    container.status = { ...container.status, state: 'exited', finishedAtMs: clock.now(), ...exit }
    container.log.end()
    emit({ kind: 'died', podUid: container.spec.pod.uid, containerId: container.status.id })
  }
}
