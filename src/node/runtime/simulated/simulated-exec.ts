import type { Clock } from '../../../base/clock.ts'
import type { ProcessStreams } from '../../../machinery/streams.ts'
import type { ExecResult } from '../runtime.ts'
import { RuntimeError } from '../runtime-error.ts'
import type { ExecBehaviour, Script } from './behaviour.ts'
import type { ContainerEnvironments } from './container-environments.ts'
import type { ContainerLife } from './container-life.ts'
import { runToEnd } from './run-command.ts'
import type { Container, SimulatedPods } from './simulated-pods.ts'

export interface SimulatedExecDeps {
  readonly pods: SimulatedPods
  readonly script: Script
  readonly clock: Clock
  readonly life: ContainerLife
  /** Undefined: scripts simulate every command. */
  readonly environments: ContainerEnvironments | undefined
}

/** Runs commands in containers: by a program if there is one, otherwise by the script. */
export class SimulatedExec {
  readonly #deps: SimulatedExecDeps

  constructor(deps: SimulatedExecDeps) {
    this.#deps = deps
  }

  /** Runs a probe's or a hook's command to its end; `timeoutMs` 0: no limit. */
  async toEnd(container: Container, command: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<ExecResult> {
    const { clock, life } = this.#deps
    const program = await this.#programOfProbe(container, command)
    if (program !== undefined) return runToEnd(program, { command, timeoutMs, clock }, signal)
    if (!life.isReady(container)) return { exitCode: 1, stdout: '', stderr: 'not ready yet\n' }
    const scripted = this.#scripted(container, command)
    if (scripted === undefined && container.played?.main !== undefined) throw notFound(command)
    const { takesMs = 0, ...result } = scripted ?? {}
    const late = timeoutMs > 0 && takesMs > timeoutMs
    if (takesMs > 0) await clock.sleep(late ? timeoutMs : takesMs, signal)
    if (late) throw new RuntimeError('deadline', `command ${JSON.stringify(command.join(' '))} timed out`)
    return { exitCode: 0, stdout: '', stderr: '', ...result }
  }

  /** Runs a command on a client's streams. */
  async onStreams(container: Container, command: readonly string[], streams: ProcessStreams, signal: AbortSignal) {
    const { clock, environments } = this.#deps
    const program = await environments?.command(container, command, false)
    if (program !== undefined) return program(streams, signal)
    const scripted = this.#scripted(container, command)
    if (scripted === undefined && container.played?.main !== undefined) throw notFound(command)
    if (scripted?.takesMs) await clock.sleep(scripted.takesMs, signal)
    const unknown = `${command[0] ?? ''}: a simulated container does not know this command\n`
    const { exitCode = 0, stdout = '', stderr = '' } = scripted ?? { exitCode: 127, stderr: unknown }
    if (stdout !== '') await streams.stdout?.write(Buffer.from(stdout))
    if (stderr !== '') await (streams.stderr ?? streams.stdout)?.write(Buffer.from(stderr))
    return { exitCode }
  }

  /**
   * The program for a probe's command: if the main process is a program, or if only the container's command is known and a shipped program
   * runs it. Otherwise the image is unknown, and its exec probes succeed.
   */
  async #programOfProbe(container: Container, command: readonly string[]) {
    const { environments } = this.#deps
    const scripted = container.behaviour.readyMs !== undefined || this.#scripted(container, command) !== undefined
    const byProgram = container.played?.main !== undefined || (!scripted && environments?.playsByCommand(container) === true)
    return byProgram ? environments?.command(container, command, true) : undefined
  }

  #scripted(container: Container, command: readonly string[]): ExecBehaviour | undefined {
    const { pods, script } = this.#deps
    return script.exec?.(pods.describe(container), command)
  }
}

/** runc's message. */
function notFound([name = '']: readonly string[]): RuntimeError {
  const why = `exec: ${JSON.stringify(name)}: executable file not found in $PATH`
  return new RuntimeError('runtime', `OCI runtime exec failed: exec failed: unable to start container process: ${why}: unknown`)
}
