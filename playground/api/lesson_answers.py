"""What the answers about lessons say, for the OpenAPI document."""

from rest_framework import serializers as s

from playground.api.answers import Anything, integers, texts


class LessonAbout(s.Serializer):
    slug = s.CharField()
    language = s.CharField()
    languages = texts()
    title = s.CharField()
    question = s.CharField()
    summary = s.CharField()
    level = s.IntegerField()
    minutes = s.IntegerField()
    issues = integers()
    after = texts()
    total = s.IntegerField()


class LessonListAnswer(LessonAbout):
    cluster = s.IntegerField(allow_null=True)
    done = s.IntegerField()
    solved = s.BooleanField()


class ShowAnswer(s.Serializer):
    by = s.ChoiceField(["run", "queue"])
    ask = s.CharField()
    pod = s.CharField(allow_null=True)
    node = s.CharField(allow_null=True)


class BlockAnswer(s.Serializer):
    kind = s.ChoiceField(["prose", "point", "wait", "predict", "task"])
    html = s.CharField(allow_blank=True)
    argument = s.CharField(required=False)
    hints = texts(required=False)
    show = ShowAnswer(required=False, allow_null=True)


class StepAnswer(s.Serializer):
    id = s.CharField()
    title = s.CharField()
    blocks = BlockAnswer(many=True)


class LessonAnswer(LessonAbout):
    steps = StepAnswer(many=True)


class TryAnswer(s.Serializer):
    chosen = texts()
    correct = s.BooleanField()
    why = s.ListField(child=Anything())


class CheckAnswer(s.Serializer):
    form = s.ChoiceField(["wait", "predict", "task"])
    since = s.IntegerField()
    done = s.BooleanField()
    kind = s.ChoiceField(["node", "pod", "plugin", "number", "word"], required=False)
    options = texts(required=False)
    several = s.BooleanField(required=False)
    chosen = texts(required=False)
    right = texts(required=False)
    correct = s.BooleanField(required=False)
    tries = TryAnswer(many=True, required=False)
    unmet = s.ListField(child=Anything(), required=False)


class LessonRunAnswer(s.Serializer):
    slug = s.CharField()
    checks = s.DictField(child=CheckAnswer())
