import type { Permission, TrialReport, TrialStep } from '../../trial/operator-report.ts'
import { Fold } from './fold.tsx'
import { Block, Scene } from './scene.tsx'

/** A trial: the grade, the rules, the permissions that were used, and what happened where a rule was broken. */
export function TrialReportPart({ report }: { readonly report: TrialReport }) {
  const { command, grade, steps, permissions, undisturbed } = report
  const count = (outcome: TrialStep['outcome']) => steps.filter((step) => step.outcome === outcome).length
  return (
    <>
      <h1>
        <b class={`grade grade-${grade}`}>{grade}</b> <code>{command}</code>
      </h1>
      <p>
        {count('passed')} passed, {count('failed')} failed, {count('skipped')} skipped
      </p>
      <ul class="trial-steps">
        {steps.map((step, i) => (
          <Step key={i} step={step} />
        ))}
      </ul>
      {undisturbed === undefined ? null : (
        <section aria-labelledby="undisturbed">
          <h2 id="undisturbed">Undisturbed</h2>
          <Scene scene={undisturbed} />
        </section>
      )}
      {permissions.used.length === 0 ? null : (
        <section aria-labelledby="needed">
          <h2 id="needed">Permissions that it needed</h2>
          <Block label="Roles" text={permissions.minimal} />
        </section>
      )}
      <Permissions title="Used, and not requested" of={permissions.missing} />
      {grade === 'F' ? null : <Permissions title="Requested, and not used in this trial" of={permissions.unused} />}
    </>
  )
}

const MARKS: Readonly<Record<TrialStep['outcome'], string>> = { passed: '✓', failed: '✗', skipped: '–' }

function Step({ step: { rule, outcome, why, scene, tookMs } }: { readonly step: TrialStep }) {
  return (
    <li class={outcome}>
      <span class="outcome-mark" role="img" aria-label={outcome} title={outcome}>
        {MARKS[outcome]}
      </span>
      <div>
        {rule} <small>{(tookMs / 1000).toFixed(1)} s</small>
        {why === undefined ? null : <p>{why}</p>}
        {scene === undefined ? null : (
          <Fold summary="what happened">
            <Scene scene={scene} />
          </Fold>
        )}
      </div>
    </li>
  )
}

function Permissions({ title, of }: { readonly title: string; readonly of: readonly Permission[] }) {
  if (of.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul class="trial-permissions">
        {of.map(({ verb, resource, group }, i) => (
          <li key={i}>
            <code>
              {verb} {group === '' ? resource : `${resource}.${group}`}
            </code>
          </li>
        ))}
      </ul>
    </section>
  )
}
