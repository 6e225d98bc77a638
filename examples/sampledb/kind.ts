import { defineKind, type ObjectOf, t } from 'bowsprit/sdk'

/** A release as a number, in CEL: 1.10 is later than 1.9. */
const number = (release: string) => `int(${release}.split('.')[0]) * 10000 + int(${release}.split('.')[1])`

/** `kubectl get sampledbs`: a database, with all that a person would otherwise do for it. */
export const SampleDB = defineKind({
  group: 'databases.example.com',
  version: 'v1',
  kind: 'SampleDB',
  shortNames: ['sdb'],
  description: 'A database that is set up, backed up, upgraded and put away by its operator.',
  spec: t.object({
    version: t
      .string({ pattern: '^[0-9]{1,4}\\.[0-9]{1,4}$', maxLength: 9 })
      .describe('Which release runs: 1.0. A later one is an upgrade.'),
    storage: t
      .quantity()
      .default('1Gi')
      .rule({ rule: 'quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0', message: 'storage cannot shrink' }),
    storageClassName: t.string().optional(),
    backup: t
      .object({
        everyMinutes: t.integer({ minimum: 5 }).default(1440),
        keep: t.integer({ minimum: 1, maximum: 100 }).default(7),
      })
      .default({}),
    onDelete: t.enum('Snapshot', 'Delete').default('Snapshot').describe('Whether a last snapshot is taken before the data goes.'),
  }),
  status: t.object({
    phase: t.enum('Creating', 'Ready', 'BackingUp', 'Upgrading', 'Failed', 'Deleting'),
    version: t.string({ maxLength: 9 }).optional().describe('What the data on the disk belongs to.'),
    backups: t.integer().optional(),
    lastBackup: t.time().optional(),
    nextBackup: t.time().optional(),
  }),
  validations: [
    {
      rule: `!has(oldSelf.status) || !has(oldSelf.status.version) || ${number('self.spec.version')} >= ${number('oldSelf.status.version')}`,
      message: 'a database cannot be downgraded: restore a backup',
    },
  ],
  printerColumns: [
    { name: 'Version', jsonPath: '.status.version' },
    { name: 'Phase', jsonPath: '.status.phase' },
    { name: 'Backups', jsonPath: '.status.backups', type: 'integer' },
    { name: 'Last backup', jsonPath: '.status.lastBackup', type: 'date' },
  ],
})

/** One of them, as it is read. */
export type Database = ObjectOf<typeof SampleDB>
