import { readFileSync } from 'node:fs'
import type { JsonObject } from '../../../src/machinery/object.ts'
import type { StoryCall } from './story.ts'

interface Row {
  readonly t: number
  readonly call: string
  readonly request: Request
  readonly response?: { readonly pod_sandbox_id?: string; readonly container_id?: string }
  readonly error?: { readonly code: string; readonly message: string }
}

type Request = JsonObject & {
  readonly pod_sandbox_id?: string
  readonly container_id?: string
  readonly config?: { readonly metadata?: { readonly uid?: string; readonly name?: string; readonly attempt?: number } }
  readonly sandbox_config?: { readonly metadata?: { readonly uid?: string } }
}

/** The calls that went through a recording proxy (`oracle/grpclog`), by the pod that they were about. */
export class CallLog {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  callsOf(podUid: string): readonly StoryCall[] {
    const rows = this.#rows()
    const ids = idsOf(rows, podUid)
    return rows
      .filter((row) => isAbout(row, podUid, ids))
      .map(({ t, call, request, error }) => ({ at: t / 1000, call, request: withText(request), ...(error && { error }) }))
  }

  /** The newest container of that name. */
  containerOf(podUid: string, name: string): string | undefined {
    return this.#rows().findLast(
      (row) =>
        row.call === 'CreateContainer' &&
        row.request.sandbox_config?.metadata?.uid === podUid &&
        row.request.config?.metadata?.name === name,
    )?.response?.container_id
  }

  sandboxOf(podUid: string): string | undefined {
    return this.#rows().findLast((row) => row.call === 'RunPodSandbox' && row.request.config?.metadata?.uid === podUid)?.response
      ?.pod_sandbox_id
  }

  #rows(): readonly Row[] {
    const lines = readFileSync(this.#file, 'utf8').split('\n').filter(Boolean)
    return lines.map((line): Row => JSON.parse(line)).sort((a, b) => a.t - b.t)
  }
}

function idsOf(rows: readonly Row[], podUid: string): ReadonlySet<string> {
  return new Set(
    rows.flatMap(({ request, response }) => {
      const uid = request.sandbox_config?.metadata?.uid ?? request.config?.metadata?.uid
      return uid === podUid ? [response?.pod_sandbox_id, response?.container_id].filter((id) => id !== undefined) : []
    }),
  )
}

const isAbout = ({ request }: Row, podUid: string, ids: ReadonlySet<string>) =>
  request.config?.metadata?.uid === podUid ||
  request.sandbox_config?.metadata?.uid === podUid ||
  ids.has(request.container_id ?? '') ||
  ids.has(request.pod_sandbox_id ?? '')

/** Recordings show the values of variables as text. */
function withText(request: Request): JsonObject {
  return JSON.parse(JSON.stringify(request), (key, value) =>
    key === 'envs'
      ? value.map(({ key: name, value: v = '' }: { key: string; value?: string }) => ({
          key: name,
          value: Buffer.from(v, 'base64').toString(),
        }))
      : value,
  )
}
