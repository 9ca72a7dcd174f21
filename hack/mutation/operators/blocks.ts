import { actionsOf, type Branch, blocksOf, type Pipeline, type Span } from '../template/index.ts';
import type { Mutation, Operator } from './mutation.ts';

/** Blocks that lose what they hold, and conditions that no longer decide. */
export const mutateBlocks: Operator = ({ template }) =>
  blocksOf(template).flatMap((block) =>
    block.branches.flatMap((branch, index) => {
      const end = block.branches[index + 1]?.tag.start ?? block.endTag.start;
      return mutateBranch(template.source, branch, end);
    }),
  );

const mutateBranch = (
  source: string,
  { keyword, pipeline, tag }: Branch,
  end: number,
): readonly Mutation[] => {
  if (pipeline === undefined || keyword === 'block' || keyword === 'define') {
    const body = { start: tag.end, end };
    const isEmpty = source.slice(body.start, body.end).trim() === '';
    return isEmpty ? [] : [{ operator: 'drop-block', ...body, replacement: '' }];
  }
  const condition = decided(pipeline);
  if (keyword === 'with') return [{ operator: 'empty-block', ...condition, replacement: 'dict' }];
  if (keyword === 'range') return [{ operator: 'empty-block', ...condition, replacement: 'list' }];
  const text = source.slice(condition.start, condition.end);
  return [
    { operator: 'drop-block', ...condition, replacement: 'false' },
    { operator: 'keep-block', ...condition, replacement: 'true' },
    { operator: 'flip-condition', ...condition, replacement: `not (${text})` },
  ];
};

/** The pipeline without the variables that take its result. */
const decided = ({ commands, end }: Pipeline): Span => ({ start: commands[0]?.start ?? end, end });

/**
 * Actions left out, but for the declaration of a variable that is used: a template without it never parses, which
 * says nothing about the suite.
 */
export const dropActions: Operator = ({ template }) =>
  actionsOf(template)
    .filter(({ pipeline }) => pipeline?.assign !== ':=' || pipeline.variables.every((name) => name === '$_'))
    .map(({ start, end, tag }) => ({
      operator: 'drop-action',
      start,
      end,
      // The blanks that it takes away go as before.
      replacement: tag.open === '{{' && tag.close === '}}' ? '' : `${tag.open} "" ${tag.close}`,
    }));
