import { messageOf } from '../../base/message-of.ts'
import type { Later } from '../../base/steps.ts'
import type { AdmitHandler, AdmitRequest, Refusal } from '../types/admit-handler.ts'

/** undefined: the pod is admitted. */
type Outcome = Refusal | undefined

/** Runs all handlers in order. When one refuses or throws, those before it release what they allocated. */
export async function admitPod(
  handlers: readonly AdmitHandler[],
  request: AdmitRequest,
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  const admitted: AdmitHandler[] = []
  for (const handler of handlers) {
    const said = ask(handler, request, signal)
    // Most handlers decide synchronously; awaiting each would cost a turn for every pod.
    const refusal = said instanceof Promise ? await said.catch((error) => thrown(handler, error)) : said
    if (refusal !== undefined) {
      for (const before of admitted.reverse()) before.release(request.pod)
      return refusal
    }
    admitted.push(handler)
  }
  return undefined
}

function ask(handler: AdmitHandler, request: AdmitRequest, signal: AbortSignal): Later<Outcome> {
  try {
    return handler.admit(request, signal)
  } catch (error) {
    return thrown(handler, error)
  }
}

/** An error that a handler throws counts as a refusal. */
function thrown({ name }: AdmitHandler, error: unknown): Refusal {
  return { reason: 'UnexpectedAdmissionError', message: `Unexpected error while admitting the pod by ${name}: ${messageOf(error)}` }
}
