import type { ConditionNow, Outcome } from 'bowsprit/sdk'
import type { Job, StatefulSet } from 'bowsprit/types'
import { connection, credentials, disk, readTask, server, service, type Task, taskJob } from './children.ts'
import type { Database } from './kind.ts'

/** What is known of a database. */
export interface Observed {
  readonly db: Readonly<Database>
  readonly jobs: readonly Readonly<Job>[]
  readonly server: Readonly<StatefulSet> | undefined
  /** The password that is in use, in base64; undefined: none yet. */
  readonly password: string | undefined
  /** Whether something that holds data is still there (the server or its disk). */
  readonly dataThere: boolean
}

/** What may be different each time. */
export interface Chance {
  readonly nowMs: number
  readonly freshPassword: string
}

/** What is wanted, and what has just happened, for those who read events. */
export interface Plan {
  readonly outcome: Outcome<Database>
  /** The release that the data has just become of. */
  readonly upgradedTo?: string
}

interface Tasks {
  readonly all: readonly (Task & { readonly ended: 'complete' | 'failed' | undefined })[]
  find(kind: Task['kind'], version?: string): { readonly ended: 'complete' | 'failed' | undefined } | undefined
}

function tasksOf(jobs: readonly Readonly<Job>[]): Tasks {
  const all = jobs.map(readTask)
  return { all, find: (kind, version) => all.find((t) => t.kind === kind && (version === undefined || t.version === version)) }
}

const ready = (set: Readonly<StatefulSet> | undefined) =>
  (set?.status?.readyReplicas ?? 0) >= 1 && set?.status?.observedGeneration === set?.metadata.generation
const time = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

/** What a database needs now. A pure function: each case of it is a line of a table in the test. */
export function plan(observed: Observed, chance: Chance): Plan {
  const { db } = observed
  const tasks = tasksOf(observed.jobs)
  const from = db.status?.version ?? db.spec.version
  const to = db.spec.version
  const upgrade = from === to ? undefined : upgradeStep(tasks, from, to)
  const version = upgrade === 'done' ? to : from
  const initialized = tasks.find('init')?.ended === 'complete'
  const up = ready(observed.server)
  const backups = backupPlan(db, tasks, chance.nowMs, initialized && up && upgrade !== 'running')
  // The last backup before an upgrade is taken with the old release, whenever the next one is due.
  const safeguarded = tasks.find('preupgrade', from) !== undefined
  const stopped = upgrade === 'running' && observed.server?.status?.replicas === 0
  const kept = tasks.all.filter(
    (t) =>
      t.kind === 'init' ||
      (upgrade !== undefined && t.kind === 'preupgrade' && t.version === from) ||
      (t.kind === 'upgrade' && t.version === to),
  )
  const wanted: readonly Task[] = [
    ...kept,
    ...(tasks.find('init') === undefined && up ? [{ kind: 'init', version } as const] : []),
    ...(upgrade === 'backup' && up && !safeguarded ? [{ kind: 'preupgrade', version: from } as const] : []),
    ...(stopped && tasks.find('upgrade', to) === undefined ? [{ kind: 'upgrade', version: to } as const] : []),
    ...backups.keep,
  ]
  const phase =
    upgrade === 'failed'
      ? 'Failed'
      : upgrade === 'running' || upgrade === 'backup'
        ? 'Upgrading'
        : !initialized || !up
          ? 'Creating'
          : backups.running
            ? 'BackingUp'
            : 'Ready'
  return {
    ...(upgrade === 'done' ? { upgradedTo: to } : {}),
    outcome: {
      children: [
        credentials(db, observed.password ?? chance.freshPassword),
        connection(db, version),
        service(db),
        disk(db),
        server(db, version, upgrade === 'running' ? 0 : 1),
        ...wanted.map((task) => taskJob(db, task)),
      ],
      status: {
        phase,
        version,
        backups: backups.complete,
        ...(backups.lastMs === undefined ? {} : { lastBackup: time(backups.lastMs) }),
        ...(backups.nextMs === undefined ? {} : { nextBackup: time(backups.nextMs) }),
      },
      conditions: conditionsOf({ up, initialized, upgrade, to, failedBackup: backups.failed }),
      ...(backups.nextMs === undefined ? {} : { requeueAfterMs: Math.max(1000, backups.nextMs - chance.nowMs) }),
    },
  }
}

type UpgradeStep = 'backup' | 'running' | 'done' | 'failed'

/** Backup, then nobody serves, then the data is changed, then the new release serves. A failed job leaves the old release in service. */
function upgradeStep(tasks: Tasks, from: string, to: string): UpgradeStep {
  const job = tasks.find('upgrade', to)
  if (job?.ended === 'complete') return 'done'
  if (job?.ended === 'failed') return 'failed'
  if (job !== undefined) return 'running'
  return tasks.find('preupgrade', from)?.ended === 'complete' ? 'running' : 'backup'
}

interface Backups {
  readonly keep: readonly Task[]
  readonly complete: number
  readonly running: boolean
  readonly failed: boolean
  readonly lastMs: number | undefined
  readonly nextMs: number | undefined
}

/** The youngest backups that worked, the one that runs, and the one that is due. */
function backupPlan(db: Readonly<Database>, tasks: Tasks, nowMs: number, possible: boolean): Backups {
  const { everyMinutes, keep } = db.spec.backup
  const all = tasks.all.filter((t) => t.kind === 'backup').sort((a, b) => (b.dueMs ?? 0) - (a.dueMs ?? 0))
  const done = all.filter((t) => t.ended === 'complete')
  const running = all.filter((t) => t.ended === undefined)
  const lastDueMs = all[0]?.dueMs
  const stepMs = everyMinutes * 60_000
  const nextMs = lastDueMs === undefined ? nowMs : lastDueMs + stepMs
  const due = possible && running.length === 0 && nextMs <= nowMs
  // Those that were missed while nobody worked are not made up for: one is due, now.
  const fresh: Task[] = due ? [{ kind: 'backup', version: db.status?.version ?? db.spec.version, dueMs: nowMs - (nowMs % 60_000) }] : []
  const failed = all.filter((t) => t.ended === 'failed').slice(0, 1)
  return {
    keep: [...fresh, ...running, ...done.slice(0, keep), ...failed],
    complete: Math.min(done.length, keep),
    running: running.length > 0 || due,
    failed: all.find((t) => t.ended !== undefined)?.ended === 'failed',
    lastMs: done[0]?.dueMs,
    nextMs: !possible ? undefined : due ? nowMs + stepMs : Math.max(nextMs, nowMs + 1000),
  }
}

function conditionsOf(seen: {
  readonly up: boolean
  readonly initialized: boolean
  readonly upgrade: UpgradeStep | undefined
  readonly to: string
  readonly failedBackup: boolean
}): ConditionNow[] {
  const { up, initialized, upgrade, to, failedBackup } = seen
  return [
    { type: 'Available', status: up && initialized, reason: up ? (initialized ? 'Serving' : 'Initializing') : 'NoReadyServer' },
    {
      type: 'Upgraded',
      status: upgrade === undefined || upgrade === 'done',
      reason: upgrade === 'failed' ? 'UpgradeFailed' : upgrade === undefined || upgrade === 'done' ? 'UpToDate' : 'UpgradeRunning',
      message:
        upgrade === 'failed'
          ? `the data could not be brought to ${to}: the release before serves; delete the upgrade job to try again`
          : '',
    },
    { type: 'BackedUp', status: !failedBackup, reason: failedBackup ? 'LastBackupFailed' : 'BackupsWork' },
  ]
}

/** What is left to do before a database may go: a last snapshot (of one that ever had data), then its server and its disk. */
export function planEnd(observed: Observed, chance: Chance): Outcome<Database> | 'done' {
  const { db, dataThere } = observed
  const version = db.status?.version ?? db.spec.version
  const tasks = tasksOf(observed.jobs)
  const snapshot = tasks.find('snapshot')
  const done = tasks.all.filter((t) => t.kind === 'init' || t.kind === 'snapshot').map((t) => taskJob(db, t))
  const status = { ...db.status, phase: 'Deleting' as const }
  const wantsSnapshot = db.spec.onDelete === 'Snapshot' && tasks.find('init')?.ended === 'complete'
  if (!wantsSnapshot || snapshot?.ended === 'complete') return dataThere ? { children: done, status } : 'done'
  const password = observed.password ?? chance.freshPassword
  const serving = [credentials(db, password), connection(db, version), service(db), disk(db), server(db, version, 1)]
  const fresh = snapshot === undefined && ready(observed.server) ? [taskJob(db, { kind: 'snapshot', version })] : []
  const failed = snapshot?.ended === 'failed'
  return {
    children: [...serving, ...done, ...fresh],
    status,
    conditions: [
      {
        type: 'Available',
        status: false,
        reason: failed ? 'SnapshotFailed' : 'Deleting',
        message: failed ? 'the last snapshot failed: mend it and delete the job, or set spec.onDelete to Delete' : '',
      },
    ],
  }
}
