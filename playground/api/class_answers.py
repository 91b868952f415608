"""What the answers about classes say, for the OpenAPI document."""

from rest_framework import serializers as s

from playground.api.answers import Anything, integers, texts


class PointerAnswer(s.Serializer):
    id = s.IntegerField()
    name = s.CharField()


class FollowerAnswer(s.Serializer):
    id = s.IntegerField()
    name = s.CharField()
    here = s.BooleanField()
    answered = s.BooleanField()


class ClassQuestionAnswer(s.Serializer):
    number = s.IntegerField()
    kind = s.CharField()
    several = s.BooleanField()
    ask = s.CharField(allow_null=True)
    pod = s.CharField(allow_null=True)
    node = s.CharField(allow_null=True)
    cycle = s.IntegerField(allow_null=True)
    hides = s.IntegerField(allow_null=True, help_text="From this cycle on nothing is told to who has not answered.")
    lesson = s.CharField(allow_null=True)
    check = s.CharField(allow_null=True)
    options = texts()
    open = s.BooleanField()
    answers = s.IntegerField(allow_null=True)
    counts = integers(allow_null=True)
    right = texts(allow_null=True)
    right_answers = s.IntegerField(allow_null=True)


class MeAnswer(s.Serializer):
    id = s.IntegerField()
    name = s.CharField()
    chosen = texts(allow_null=True)


class ClassAnswer(s.Serializer):
    """`code` and `followers` are for the teacher, `me` for a follower."""

    id = s.IntegerField()
    role = s.ChoiceField(["teacher", "follower"])
    cluster = s.IntegerField()
    cluster_name = s.CharField()
    locked = s.BooleanField()
    pointer = PointerAnswer(allow_null=True)
    moment = Anything(allow_null=True)
    code = s.CharField(required=False)
    followers = FollowerAnswer(many=True, required=False)
    question = ClassQuestionAnswer(allow_null=True)
    me = MeAnswer(allow_null=True)
