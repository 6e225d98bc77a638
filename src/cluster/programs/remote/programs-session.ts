import type { SimulatedExit } from '../../../node/runtime/simulated/play.ts'
import type { Link } from '../../../threads/link.ts'

/** One runner, from its start to its end. */
export interface ProgramsSession {
  readonly link: Link
  /** A number for a container that is opened there. */
  number(): number
  /** How the container ended, once its runner has. */
  verdict(container: number): Promise<SimulatedExit>
}

/** Where sessions come from. */
export interface ProgramsSessions {
  /** The session of the runner; starts one where there is none. */
  session(): Promise<ProgramsSession>
  /** Undefined: there is no runner. */
  readonly current: ProgramsSession | undefined
}
