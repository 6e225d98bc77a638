import { newKeyPair } from '../machinery/x509/certificate.ts'
import { privatePem, publicPem } from './issued-certificates.ts'

/**
 * Servers have to know a key before the first one signs with it. `rotate`: the first time, the next key is made, and its public half put
 * beside the present one; the second time, it becomes the present one. `forget`: the public halves of earlier keys are removed.
 */
export type SigningKeyStep = 'keep' | 'rotate' | 'forget'

/** The keys of service account tokens, PEM. */
export interface SigningKeys {
  /** Private: signs. */
  readonly present: string
  /** Private: will sign after the next rotation. */
  readonly next: string | undefined
  /** Public halves by which tokens are verified, the present one first. */
  readonly known: readonly string[]
}

/** The keys after a step. `found`: what there is so far. */
export function stepSigningKeys(found: Partial<SigningKeys>, step: SigningKeyStep, make = newSigningKey): SigningKeys {
  const promoted = step === 'rotate' ? found.next : undefined
  const present = promoted ?? found.present ?? make()
  const next = step === 'rotate' ? (promoted === undefined ? make() : undefined) : found.next
  const own = [present, ...(next === undefined ? [] : [next])].map(publicPem)
  const earlier = step === 'forget' ? [] : (found.known ?? [])
  return { present, next, known: [...new Set([...own, ...earlier])] }
}

const newSigningKey = () => privatePem(newKeyPair().privateKey)
