/** The one tool of every toy app, made by whichever copy of the package is handed in. */
module.exports = ({ tool, form, field }) =>
  tool('greet', { description: 'Greets a person' }, async (_args, ctx) => {
    const answer = await ctx.elicit({ message: 'What is your name?', form: form({ name: field.string() }) });
    return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Hello, nobody!';
  });
