import { expect, it } from 'vitest';
import { readReport } from '../../src/runner/steps/upgradecheck/report.ts';

const NOTHING = {
  component: 'a',
  change: '',
  from: '',
  to: '',
  verdict: '',
  reason: '',
  explanation: '',
  precondition: '',
  steps: [],
};
const read = (components: unknown) => readReport(JSON.stringify({ from: 'cluster', components }));

it('every field of a component is read, without blanks at its ends', () => {
  const found = {
    component: 'gpu-operator',
    change: 'version',
    from: ' 26.3.3',
    to: '26.7.2 ',
    verdict: 'manual',
    reason: 'recorded',
    explanation: 'two steps\n',
    precondition: 'no job runs',
  };
  const steps = [
    { id: 'drain', description: 'Drain the node.', reason: 'The driver restarts.' },
    { id: 'wait', description: ' ' },
    { id: 'label', reason: '' },
  ];
  expect(read([{ ...found, steps, failsRun: true }])).toEqual([
    {
      ...found,
      from: '26.3.3',
      to: '26.7.2',
      explanation: 'two steps',
      steps: ['Drain the node. (The driver restarts.)', 'wait', 'label'],
    },
  ]);
});

it('what is missing or no text is empty', () => {
  expect(read([{ component: 'a' }])).toEqual([NOTHING]);
  const odd = { component: 'a', change: 7, from: null, to: {}, verdict: ['x'], steps: 'drain' };
  expect(read([odd])).toEqual([NOTHING]);
  expect(read([{ component: 'a', steps: [null, 'x', { description: 5 }] }])).toEqual([
    { ...NOTHING, steps: ['', '', ''] },
  ]);
});

it('components keep their order', () => {
  const names = ['b', 'a', 'c'];
  expect(read(names.map((component) => ({ component })))?.map(({ component }) => component)).toEqual(names);
});

it('no components are no change, written as an empty list or as null', () => {
  expect(read([])).toEqual([]);
  expect(read(null)).toEqual([]);
});

it.each([
  ['nothing', ''],
  ['no JSON', 'oops'],
  ['null', 'null'],
  ['a number', '7'],
  ['a list', '[]'],
  ['an object without components', '{"summary": {}}'],
  ['components that are no list', '{"components": {"a": 1}}'],
  ['a component without a name', '{"components": [{"component": "a"}, {"verdict": "blocked"}]}'],
  ['a component whose name is blank', '{"components": [{"component": " "}]}'],
  ['a component that is null', '{"components": [null]}'],
])('%s is no report', (_, content) => {
  expect(readReport(content)).toBeNull();
});
