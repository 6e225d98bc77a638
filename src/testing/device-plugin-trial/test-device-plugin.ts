import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import { quietErrors } from '../../base/quiet.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { type DeviceNode, openDeviceNode } from './trial-node.ts'

/** A device plugin as a program. `{folder}` in its arguments and environment is replaced by the folder with `kubelet.sock`. */
export interface PluginProgram {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /**
   * The kubelet's folder (the one above `device-plugins`). Default: a new one; a plugin that knows only the kubelet's own needs
   * `/var/lib/kubelet`, and a machine without a kubelet.
   */
  readonly folder?: string
  /** How long the plugin may take for each step, in milliseconds. Default: 15,000. */
  readonly patienceMs?: number
}

/** One thing that was tried. */
export interface TrialStep {
  /** What a good plugin does, in one sentence. */
  readonly rule: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** What was seen where it failed; why it was skipped. */
  readonly why?: string
}

/** What came of a trial. */
export interface TrialReport {
  /** The resource that the plugin serves; `''` where it never registered. */
  readonly resource: string
  readonly steps: readonly TrialStep[]
  /**
   * `A`: all passed. `B`: it works, and one thing after a restart does not. `C`: more do not. `F`: it does not register, or no pod gets a
   * device.
   */
  readonly grade: 'A' | 'B' | 'C' | 'F'
}

/**
 * Runs a device plugin through everything that happens to it on a node: pods that get its devices, ends and restarts of the plugin, of the
 * node's agent and of the machine. The plugin is not changed; its node is one of Bowsprit's, with the kubelet's protocols.
 *
 * ```ts
 * const report = await testDevicePlugin({ command: ['./my-plugin', '--plugin-dir', '{folder}'] })
 * console.log(report.grade)
 * ```
 */
export async function testDevicePlugin(program: PluginProgram): Promise<TrialReport> {
  const { folder, patienceMs = 15_000 } = program
  if (folder !== undefined && existsSync(path.join(folder, 'config.yaml')))
    throw new Error(`${folder} belongs to a kubelet; choose another folder`)
  await using node = await openDeviceNode(folder === undefined ? {} : { folder })
  const plugin = new Program(program, node.folders.plugins)
  const trial = new Trial(node, plugin, patienceMs)
  try {
    await trial.run()
  } finally {
    await plugin.kill()
  }
  return { resource: trial.resource, steps: trial.steps, grade: gradeOf(trial.steps) }
}

/** The report as lines for people. */
export function trialText({ resource, steps, grade }: TrialReport): string {
  const mark = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' } as const
  const lines = steps.map((s) => `${mark[s.outcome]} ${s.rule}${s.why === undefined ? '' : `\n       ${s.why}`}`)
  return [`${resource || 'no resource'}: grade ${grade}`, ...lines].join('\n')
}

/** All other steps depend on the first two. */
function gradeOf(steps: readonly TrialStep[]): TrialReport['grade'] {
  if (steps.slice(0, 2).some((s) => s.outcome !== 'passed')) return 'F'
  const failed = steps.filter((s) => s.outcome === 'failed').length
  return failed === 0 ? 'A' : failed === 1 ? 'B' : 'C'
}

class Program {
  readonly #program: PluginProgram
  readonly #folder: string
  #child: ReturnType<typeof spawn> | undefined

  constructor(program: PluginProgram, folder: string) {
    this.#program = program
    this.#folder = folder
  }

  start(): void {
    const fill = (text: string) => text.replaceAll('{folder}', this.#folder)
    const [file = '', ...args] = this.#program.command.map(fill)
    const env = Object.fromEntries(Object.entries(this.#program.env ?? {}).map(([k, v]) => [k, fill(v)]))
    this.#child = spawn(file, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
    quietErrors(this.#child, 'the step that waits for its registration reports it')
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name)
  }

  get ended(): boolean {
    return this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      child.once('exit', () => resolve())
      child.kill('SIGKILL')
    })
  }
}

class Trial {
  readonly steps: TrialStep[] = []
  resource = ''
  readonly #node: DeviceNode
  readonly #plugin: Program
  readonly #patienceMs: number
  #healthy = 0
  #held = ''

  constructor(node: DeviceNode, plugin: Program, patienceMs: number) {
    this.#node = node
    this.#plugin = plugin
    this.#patienceMs = patienceMs
  }

  async run(): Promise<void> {
    const [node, plugin] = [this.#node, this.#plugin]
    plugin.start()
    await this.#try('it registers, and tells of healthy devices', async () => {
      await this.#until('a resource with healthy devices', () => this.#find())
    })
    await this.#try('a pod gets a device, and runs', async () => {
      await this.#runs('keeps', 1)
      this.#held = this.#holding('keeps')
    })
    await this.#try('it gives all its devices at once, to one pod', async () => {
      if (this.#healthy < 2) throw new Skip('it has only one healthy device')
      await this.#runs('rest', this.#healthy - 1)
      await node.delete('rest')
      await node.gone('rest')
    })
    await this.#try("after a restart of the node's agent it registers again, and pods keep their devices", async () => {
      await node.stop()
      await node.start()
      await this.#back()
    })
    await this.#try("it outlives a long stop of the node's agent", async () => {
      await node.stop()
      await systemClock.sleep(1500)
      await node.start()
      if (plugin.ended) throw new Error('the plugin ended while there was no agent; its supervisor has to start it again')
      await this.#back()
    })
    this.#restartIfEnded()
    await this.#try('killed and started again it serves as before (its old socket lies there)', async () => {
      await plugin.kill()
      await this.#until('its devices are counted and not given', () => this.#healthyNow() === 0)
      plugin.start()
      await this.#back()
    })
    await this.#try('after a reboot a pod waits for it, and gets the devices that it had', async () => {
      await node.kill()
      await plugin.kill()
      node.reboot()
      await node.start()
      await systemClock.sleep(300)
      plugin.start()
      await this.#back()
      await node.phase('keeps', 'Running')
    })
    await this.#try('stopped for a while (SIGSTOP) across a restart of the agent, it comes back', async () => {
      plugin.signal('SIGSTOP')
      await node.kill()
      await node.start()
      await systemClock.sleep(300)
      plugin.signal('SIGCONT')
      await this.#back()
    })
    await this.#try('a new pod gets a device after all that', () => this.#runs('last', this.#healthy > 1 ? 1 : 0))
  }

  #restartIfEnded(): void {
    if (this.#plugin.ended) this.#plugin.start()
  }

  async #try(rule: string, work: () => Promise<void>): Promise<void> {
    if (this.steps[0]?.outcome === 'failed') {
      this.steps.push({ rule, outcome: 'skipped', why: 'it never registered' })
      return
    }
    try {
      await work()
      this.steps.push({ rule, outcome: 'passed' })
    } catch (error) {
      const why = messageOf(error)
      this.steps.push({ rule, outcome: error instanceof Skip ? 'skipped' : 'failed', why })
      this.#plugin.signal('SIGCONT')
      if (!this.#node.runs) await this.#node.start()
      this.#restartIfEnded()
    }
  }

  #find(): boolean {
    const pool = [...this.#node.devices.manager.pools.values()].find((p) => p.healthy.length > 0)
    this.resource = pool?.name ?? ''
    this.#healthy = pool?.healthy.length ?? 0
    return pool !== undefined
  }

  #healthyNow(): number {
    return this.#node.devices.manager.pools.get(this.resource)?.healthy.length ?? 0
  }

  /** The plugin serves again, and the pod has its devices. */
  async #back(): Promise<void> {
    await this.#until('it registers again with its devices', () => this.#healthyNow() === this.#healthy)
    await this.#until('the pod is taken up', () => this.#holding('keeps') !== '')
    if (this.#holding('keeps') !== this.#held) throw new Error(`the pod had ${this.#held} and has ${this.#holding('keeps')} now`)
  }

  async #runs(name: string, count: number): Promise<void> {
    const resources: JsonObject = count === 0 ? {} : { limits: { [this.resource]: String(count) } }
    await this.#node.create(name, { containers: [{ name: 'main', image: 'app', resources }] })
    const { status } = await this.#node.phase(name, 'Running', 'Failed')
    if (status?.phase !== 'Running') throw new Error(String(status?.message))
  }

  #holding(pod: string): string {
    const entry = this.#node.devices.manager.ledger
      .entries()
      .find((e) => e.container === 'main' && this.#node.created.some((c) => c.pod.name === pod && c.pod.uid === e.podUid))
    return [...new Set([...(entry?.byNuma.values() ?? [])].flat())].sort().join(',')
  }

  #until(what: string, holds: () => boolean): Promise<void> {
    return this.#node.until(what, holds, this.#patienceMs)
  }
}

/** What cannot be tried with this plugin. */
class Skip extends Error {
  override readonly name = 'Skip'
}
