import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTimeZone, parseCronSchedule } from './cron-schedule.ts'

test('five fields, with lists, ranges, steps and names', () => {
  const schedule = parseCronSchedule('*/15 0,12 1-3 jan-mar mon')
  assert.deepEqual([...schedule.minute], [0, 15, 30, 45])
  assert.deepEqual([...schedule.hour], [0, 12])
  assert.deepEqual([...schedule.day], [1, 2, 3])
  assert.deepEqual([...schedule.month], [1, 2, 3])
  assert.deepEqual([...schedule.weekday], [1])
  assert.equal(schedule.anyDay, false)
  assert.equal(parseCronSchedule('@daily').anyWeekday, true)
  assert.equal(parseCronSchedule('@every 1h30m').everyMs, 5_400_000)
})

const refused: readonly (readonly [text: string, why: string])[] = [
  ['', 'empty spec string'],
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['@nope', 'unrecognized descriptor: @nope'],
]

for (const [text, why] of refused)
  test(`an invalid schedule is refused with its cause: ${JSON.stringify(text)}`, () =>
    assert.throws(() => parseCronSchedule(text), { name: 'CronError', message: why }))

test('time zones have the names of the database, letter by letter', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'Etc/GMT+5']) assert.equal(isTimeZone(zone), true, zone)
  for (const zone of ['europe/berlin', '+01:00', 'Mars/Olympus', '']) assert.equal(isTimeZone(zone), false, zone)
})
