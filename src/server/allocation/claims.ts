const TENTATIVE_MS = 30_000

interface Claim {
  /** The object: `namespace/name`. */
  readonly owner: string
  readonly madeAt: number
  /** Chosen for a request that may still fail; expires. */
  readonly tentative: boolean
}

/**
 * What this server allocated to objects whose commit its cache may not show yet. It only saves retries: the store decides. Claims expire;
 * those of requests that never completed are removed from time to time.
 */
export class Claims {
  readonly #claims = new Map<string, Claim>()
  /** What was chosen for an owner, and when. It stays chosen when another owner, who finds nothing else free, claims it as well. */
  readonly #chosen = new Map<string, number>()
  #sweptAt = 0

  claim(what: string, owner: string, now: number, tentative: boolean): void {
    if (now - this.#sweptAt >= TENTATIVE_MS) this.#sweep(now)
    this.#claims.set(what, { owner, madeAt: now, tentative })
    if (tentative) this.#chosen.set(choiceOf(what, owner), now)
    else this.#chosen.delete(choiceOf(what, owner))
  }

  release(what: string, owner: string): void {
    this.#chosen.delete(choiceOf(what, owner))
    if (this.#claims.get(what)?.owner === owner) this.#claims.delete(what)
  }

  /** Whether it was chosen for this owner, who did not request it explicitly. */
  isChosen(what: string, owner: string): boolean {
    return this.#chosen.has(choiceOf(what, owner))
  }

  /** Whether another owner holds it. */
  holds(what: string, owner: string, now: number, tentativeCounts = true): boolean {
    const claim = this.#claims.get(what)
    if (claim === undefined || claim.owner === owner) return false
    if (now - claim.madeAt < TENTATIVE_MS) return tentativeCounts || !claim.tentative
    this.#claims.delete(what)
    return false
  }

  #sweep(now: number): void {
    this.#sweptAt = now
    for (const [what, { madeAt }] of this.#claims) if (now - madeAt >= TENTATIVE_MS) this.#claims.delete(what)
    for (const [choice, madeAt] of this.#chosen) if (now - madeAt >= TENTATIVE_MS) this.#chosen.delete(choice)
  }
}

const choiceOf = (what: string, owner: string) => `${what} ${owner}`
