import type { ConflictChoice, DraftCheck, DraftConflict, DraftFault, DraftField } from '../../wire/draft-page.ts'

interface DraftOutcomeProps {
  readonly check: DraftCheck
  onLine(line: number): void
  onKeep(choice: ConflictChoice): void
  onMerged(): void
}

/** What would become of a text: why it would be refused, what collides, and what would be stored. */
export function DraftOutcome({ check, onLine, onKeep, onMerged }: DraftOutcomeProps) {
  const { faults, conflicts, fields, added, diff, merged } = check
  const shared = fields.filter(({ owners }) => owners.length > 0)
  return (
    <aside class="outcome" aria-label="What would be stored">
      {faults.length > 0 ? <Faults faults={faults} onLine={onLine} /> : null}
      {conflicts.length > 0 ? <h2>Changed by you and by others</h2> : null}
      {conflicts.map((conflict) => (
        <Conflict key={conflict.id} conflict={conflict} onKeep={onKeep} />
      ))}
      {merged === '' ? null : (
        <p class="calm">
          Others have changed the object since. Their changes are kept.{' '}
          <button type="button" disabled={conflicts.some(({ keep }) => keep === '')} onClick={onMerged}>
            Show them in the text
          </button>
        </p>
      )}
      {diff === '' ? null : <Diff diff={diff} title="What would be stored" />}
      <Fields title="Set by the server besides" fields={added} />
      <Fields title="Fields that others set" fields={shared} />
    </aside>
  )
}

function Faults({ faults, onLine }: { readonly faults: readonly DraftFault[]; onLine(line: number): void }) {
  return (
    <>
      <h2>It would be refused</h2>
      <ul class="faults">
        {faults.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            {line === 0 ? null : (
              <button type="button" onClick={() => onLine(line)}>
                line {line}
              </button>
            )}{' '}
            {message}
          </li>
        ))}
      </ul>
    </>
  )
}

function Conflict({ conflict, onKeep }: { readonly conflict: DraftConflict; onKeep(choice: ConflictChoice): void }) {
  const { id, path, value, theirs, owners, keep } = conflict
  const sides = [
    ['mine', 'yours', value],
    ['theirs', owners.length === 0 ? 'theirs' : owners.join(', '), theirs],
  ] as const
  return (
    <fieldset class="conflict">
      <legend>
        <code>{path}</code>
      </legend>
      {sides.map(([side, name, shown]) => (
        <label key={side}>
          <input type="radio" name={id} checked={keep === side} onChange={() => onKeep({ id, keep: side })} /> {name}:{' '}
          <code>{shown === '' ? 'removed' : shown}</code>
        </label>
      ))}
    </fieldset>
  )
}

const CLASSES: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus', '@': 'place' }

/** A unified diff. */
export function Diff({ diff, title }: { readonly diff: string; readonly title?: string }) {
  return (
    <>
      {title === undefined ? null : <h2>{title}</h2>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by keyboard */}
      <pre class="diff" tabIndex={0}>
        {diff
          .trimEnd()
          .split('\n')
          .map((line, i) => (
            <div key={i} class={CLASSES[line.charAt(0)] ?? ''}>
              {line}
            </div>
          ))}
      </pre>
    </>
  )
}

function Fields({ title, fields }: { readonly title: string; readonly fields: readonly DraftField[] }) {
  if (fields.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ul class="draft-fields">
        {fields.map(({ path, value, owners }) => (
          <li key={path}>
            <code>{path}</code> {owners.length > 0 ? <b>{owners.join(', ')}</b> : <code>{value === '' ? 'removed' : value}</code>}
          </li>
        ))}
      </ul>
    </>
  )
}
