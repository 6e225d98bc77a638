import type { Json } from '../../src/machinery/object.ts'
import type { Case, Step } from './case.ts'
import { replaceAt } from './change-value.ts'
import type { Comparison, Difference } from './compare.ts'
import { membersOf } from './schema.ts'
import { signatureOf, stepOf } from './signature.ts'

/** How many smaller cases of one difference are tried at once. */
const TRIALS = 10

/** Rounds; what is left then is small enough to read. */
const ROUNDS = 25

/**
 * Makes the cases as small as they can be while their differences have the same signature: without steps, options, headers, and members of
 * bodies. Every round tries some smaller ones of each, the smallest first, all in one comparison.
 */
export async function minimise(
  found: readonly Difference[],
  compare: (cases: readonly Case[]) => Promise<Comparison>,
): Promise<readonly Difference[]> {
  const done: Difference[] = []
  let open = found.map((difference) => ({ best: difference, left: smaller(difference) }))
  for (let round = 0; open.length > 0 && round < ROUNDS; round++) {
    const trials = open.flatMap(({ left }, i) => left.slice(0, TRIALS).map((c, j) => ({ ...c, id: `${i}/${j}` })))
    const { differences } = await compare(trials)
    open = open.flatMap(({ best, left }, i) => {
      const alike = differences.filter((d) => d.case.id.startsWith(`${i}/`) && signatureOf(d.why) === signatureOf(best.why))
      const smallest = alike.toSorted((a, b) => sizeOf(a.case) - sizeOf(b.case))[0]
      const next = smallest && { ...smallest, case: { ...smallest.case, id: best.case.id } }
      const rest = next === undefined ? left.slice(TRIALS) : smaller(next)
      if (rest.length > 0) return [{ best: next ?? best, left: rest }]
      done.push(next ?? best)
      return []
    })
  }
  return [...done, ...open.map(({ best }) => best)]
}

const sizeOf = ({ steps }: Case) => JSON.stringify(steps.map(({ expect: _, ...step }) => step)).length

/** The cases with one thing less, the smallest first. */
export function smaller({ case: whole, why }: Difference): readonly Case[] {
  const last = stepOf(why)
  const steps = whole.steps.slice(0, last + 1).map(({ expect: _, ...step }) => step)
  const fewer = steps.slice(0, last).map((_, i) => steps.toSpliced(i, 1))
  const lesser = steps.flatMap((step, i) => smallerSteps(step).map((less) => steps.with(i, less)))
  const alone = steps.slice(last)
  const cut = [steps, alone].filter((less) => less.length < whole.steps.length)
  const cases = [...cut, ...fewer, ...lesser].map((less) => ({ ...whole, steps: less }))
  return cases.sort((a, b) => sizeOf(a) - sizeOf(b))
}

function smallerSteps(step: Step): Step[] {
  const { path, headers = {}, body, during = [] } = step
  const [address = '', query = ''] = path.split('?')
  const options = query === '' ? [] : query.split('&')
  const withPath = (left: readonly string[]) => ({ ...step, path: left.length === 0 ? address : `${address}?${left.join('&')}` })
  return [
    // Without it, the object of a dry run would stay, and change the answers of other cases.
    ...options.flatMap((option, i) => (option === 'dryRun=All' ? [] : [withPath(options.toSpliced(i, 1))])),
    ...Object.keys(headers).map((name) => ({
      ...step,
      headers: Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name)),
    })),
    ...smallerValues(body as Json | undefined).map((less) => ({ ...step, body: less })),
    ...during.map((_, i) => ({ ...step, during: during.toSpliced(i, 1) })),
    ...during.flatMap((inner, i) => smallerSteps(inner).map((less) => ({ ...step, during: during.with(i, less) }))),
  ]
}

/** A body without one of its members or items, at any depth. */
function smallerValues(body: Json | undefined): Json[] {
  const found: Json[] = []
  const visit = (value: Json, path: readonly string[]) => {
    for (const [name, member] of membersOf(value)) {
      // Without it, a webhook or a policy would act on other cases.
      if (name === 'namespaceSelector') continue
      found.push(replaceAt(body ?? null, [...path, name], undefined))
      visit(member, [...path, name])
    }
  }
  visit(body ?? null, [])
  return found
}
